// The sign: each meter as large as the screen lets it.
import { on } from "./live.js";
import { money } from "./money.js";

const sign = document.querySelector("#sign");
on("meters", (list) => {
  for (const message of list) {
    for (const one of message.meters) {
      if (one.network !== sign.dataset.network) continue;
      const place = sign.querySelector(`[data-meter="${CSS.escape(one.meter)}"]`);
      if (!place) return location.reload();
      const amount = place.querySelector("[data-amount]");
      amount.textContent = money(one.amount, Number(amount.dataset.scale));
      const pending = place.querySelector("[data-pending]");
      const said = BigInt(one.pending ?? 0) > 0n ? `${money(one.pending, Number(amount.dataset.scale))} ${one.currency} won, being verified` : "";
      if (pending.textContent !== said) pending.textContent = said;
    }
  }
});
