// Big digits that change in place, many times a second, without the server rendering the page again.
import { on } from "./live.js";
import { money } from "./money.js";

on("meters", (list) => {
  const newest = new Map(list.flatMap((message) => message.meters).map((one) => [`${one.network}/${one.meter}`, one]));
  for (const one of newest.values()) {
    const place = document.querySelector(`[data-network="${CSS.escape(one.network)}"] [data-meter="${CSS.escape(one.meter)}"] [data-amount]`);
    if (place) place.textContent = money(one.amount, Number(place.dataset.scale));
  }
});
