"""Method: the plan against its own promise, over random feeds; then tables small enough to read."""

from hypothesis import given
from hypothesis import strategies as st

from pitstream.cli.plan import Entry, waits

ENTRIES = st.lists(
    st.builds(Entry, st.sampled_from("abc"), st.sampled_from([None, "uth", "rius"]), st.booleans()), max_size=30
)


def everything_before(plan: list[tuple[int, ...]], index: int) -> set[int]:
    """All rounds that are closed when round ``index`` begins: what it waits for, and what those waited for."""
    found: set[int] = set()
    for awaited in plan[index]:
        found |= {awaited} | everything_before(plan, awaited)
    return found


@given(ENTRIES)
def test_a_share_is_taken_when_all_earlier_rounds_of_its_network_are_closed_and_no_later_one_began(entries):
    plan = waits(entries)
    for index, entry in enumerate(entries):
        before = everything_before(plan, index)
        same_network = [i for i in range(index) if entry.network is not None and entries[i].network == entry.network]
        barriers = {i for i in same_network if entries[i].takes_share}
        if entry.network is not None and entry.takes_share:
            assert before == set(same_network)
        else:
            assert barriers <= before <= set(same_network)


@given(ENTRIES)
def test_a_round_waits_only_for_earlier_ones_so_a_plan_can_always_be_carried_out(entries):
    assert all(awaited < index for index, plan in enumerate(waits(entries)) for awaited in plan)


def test_rounds_that_take_no_share_run_side_by_side():
    assert waits([Entry(table, "uth", takes_share=False) for table in "abcabc"]) == [()] * 6


def test_a_share_of_one_network_does_not_hold_up_another():
    uth, rius, pot = (Entry(t, n, takes_share=False) for t, n in (("a", "uth"), ("b", "rius"), ("c", None)))
    hit = Entry("a", "uth", takes_share=True)
    assert waits([uth, rius, pot, hit, uth, rius, pot]) == [(), (), (), (0,), (3,), (), ()]


def test_two_shares_in_a_row_wait_for_one_another():
    hit = Entry("a", "uth", takes_share=True)
    assert waits([hit, hit, hit]) == [(), (0,), (1,)]
