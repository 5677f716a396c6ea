"""English word lists that several readers share."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a list written as running text."""
    return frozenset(text.split())


FUNCTION_WORDS = words(
    """a an the this that these those there it its he she they them his her their i me my mine we us our ours you your
    yours am is are was were be been being do does did doing done have has had having can could will would shall should
    may might must not no nor don doesn didn isn aren wasn weren won ll ve re s t d m and or but so if then than as of
    in on at to from for by with about into onto over under up down out off what which who whom whose where when why
    how please tell say said remember know called call name named again still really just also too very ok okay well
    by way hey some any all more most other such own same one ones"""
)

# Forms in which a question and the statement that answers it may differ.
SAME_WORD = dict(
    pair.split(":", 1)
    for pair in words(
        """grew:grow grown:grow bought:buy went:go gone:go met:meet left:leave ate:eat eaten:eat drove:drive
        flew:fly flight:fly took:take taken:take paid:pay wrote:write written:write spoke:speak saw:see seen:see
        lost:lose sold:sell kept:keep thought:think made:make gave:give given:give got:get came:come ran:run
        slept:sleep won:win wore:wear broke:break broken:break chose:choose drank:drink fell:fall felt:feel
        found:find forgot:forget knew:know sent:send spent:spend taught:teach built:build brought:bring began:begin
        held:hold hid:hide heard:hear led:lead lent:lend rode:ride sang:sing sat:sit stole:steal swam:swim
        threw:throw wife:wive children:child people:person prefers:like prefer:like love:like loves:like
        favorite:favourite color:colour"""
    )
)
