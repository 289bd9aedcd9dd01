"""Common words of software projects: alone they do not identify a task."""

from __future__ import annotations

from functools import cache

from rum.text.terms import stem

# Words that occur in the commit messages of most projects, whatever the projects are about.
_COMMON = """
ability able abort above absent absolute abstract accept access accidentally according accordingly account
accumulated accurate acquire across action active actually adapter add added additional address adjust admin
adopted advanced advertised affected against age agent aggregate ago alert algorithm alias aliases align
alive allocated allow allowlist almost alone along alongside already alter alternative although always
ambiguous amount analysis analyzer annotations another answer anymore anything anyway anywhere api app
appear append application apply approach appropriate april architecture archive area argument around array
arrives artifact ascii ask assertion assigned associated assume assumption async asynchronous atomic
attached attempt attribute audit august auth authentication authorization auto automated automatically
available avoid aware away back backend background backported backwards bad badge bar bare based baseline
bash basic batch became become beginning behave behavior behaviour behind belongs below benchmark benefit
best better between beyond big billion binary bindings bit blank block body bool boolean both bound boundary
branch break bridge bring broken buffer bug build builder built bump bunch bundle button bypass bytes cache
calculation call callback callers cancellation candidate cannot canonical capabilities capacity caps capture
care carry case cast catch category caught cause cents cert certain certificate chain chance change
changelog channel char characters check checkout checksum child choice choose chore chunk ci claim clarify
clarity class classifier clean cleanup clear clearer cli client clock clone close code collapse collection
collisions colon color column combined comes comma command comment commit common community compare
comparison compatibility compiler complain complete complex complicated component compose compression
compute concatenate concept concurrent condition config configuration confirm conflict confusing connection
considered consistent console consolidate const constant constraints construct consumed contact contains
content context continue contract contributing contributors control convenient convention conversion convert
cookie copy core correct correctly corresponding corrupt cost count counter couple cover coverage crash
create creation credentials css csv current custom cut cycle daemon dashes data database date days dead deal
debug december decide decision declared decoding decorator decouple dedicated default deferred defined
definition delay delegate delete delivered delta demonstrates dependency deployment deprecated deps
dereference dereferencing derive describe description descriptor design desired destination destroy detach
details detection determine deterministic dev development device diagnostic diff different difficult dir
direct directly directory dirty disable discard disconnect discovered discovery discussion disk dispatch
display distinct distinguish distribution dns docs documentation domain dot double down downgrade download
downstream drive driver drop dto due dummy dump duplicate dynamic earlier early easier easily easy edge edit
effect efficient either element eliminates else elsewhere email embed embedded emit empty enable encoding
encryption end endpoint enforce english enhance enough ensure enter entire entry enum enumeration env
environment equal equivalent err error escape especially established etc evaluate even event ever every
everything everywhere exact exactly example exceed exception excessive exclude exclusive execution exercise
exhaustion existing exit expand expansion expected experience experimental expiration expiry explain
explanation explicit explicitly export expose express extend extension external extra extract fact factory
fails failure fake fall fallback false family far fast faster fatal favor feat feature february feedback
fetch field figure file filename filesystem fill filter final find fine finish fires first fit fix fixture
fixup flag flexible flow flush folder following foo force forgot fork form format former forwarding found
four fragment frame framework free freed fresh freshly friday full fully func function further future gained
gate generic german get getter git give given global goes going gone good got gracefully grammar graph
greater group guarantee guard guide guidelines half hand handler handling hang happens happy hard hardcoded
harden hardware hash head header held help helper hence hidden hide hierarchy high higher highlight hint
historical history hit holds honor hook host hostname however html http hundred id idea identical identify
ignore image immediately impact implementation implicit implies import impossible improve inadvertently
include inclusive incoming incompatible incomplete inconsistent incorrect incorrectly increase incremental
indentation independent index indicate indirect individual infer infinite info information infrastructure
inherit init initial injection inline inner input insert inside inspect install instance instantiate instead
instructions int integer integration intended intent interactive interesting interface intermediate internal
interpreted interval introduce invalid invocation invoice invoked involved iso isolated issue item iteration
january java javascript job join json july jump june keep kept kernel key keywords kill kind know known
label lack land lang language large larger last later latest latter layer layout lazy lead leak least
leaving left leftover legacy len length less let level lib libc library license lifecycle lifetime like
limit line link linker lint linter linux list listen literal little live load local localhost location lock
lockfile log logic long longer look lookup loop lose lost lot low lower machine macos macro made main
maintainer maintenance major make malformed malloc man managed mandatory manifest manual many map march mark
markdown marker mask master match matrix matter max maximum maybe means meant measurement mechanism member
memory mention merge mess message metadata method metrics middle middleware migration million min minimal
minimum minor minutes mirror misleading mismatch missing mistake mixed mode model modern modification modify
module moment monday money monitor month mostly move msg much multi multiple must mutation name namespace
narrow native necessary need negated negative negotiation neither nested net network never new newer newline
newly next nice node noise non none normal notes nothing notice notification notify november null number
numeric object observed obsolete obtain obvious occurs october offer official offset often old older omitted
onto open operations opt optimized option order organization original otherwise outdated outer output
outside overall overflow overlapping override overwrite overwritten owner ownership package packet padding
page pair paragraph parallel parameter params parent parity parser parsing part partial particular
particularly pass password past patch path pattern pause payload payment peer pending people per performance
period permissions permits persistent person phase phrasing picked pin pip pipeline pkg place placeholder
placement plain plan platform plugin plus point pointer policy poll pool populated port position possible
post potential practice preceding precise predictable prefer prefix prepare presence present preserve pretty
prevent previous previously price primary print prior priority private privileged probably probe problem
problematic process produce product profile program progress project prompt propagate proper properly
property protected protocol prove provider provisioning proxy public publish pull pure purpose push put
python qualifier query question queue queued quite quotes race raise ran random range rare rate rather raw
reach reachable read readability readers readme ready real really reason rebase received recent recognize
recommended record recover recursive redirect reduce redundant refactor reference referenced reflect refresh
refs refuse regarding regardless regenerate regex region register registration registry regression regular
reject related relative release relevant reliable reload rely remaining remember remote remove rename
rendering reorder repeated replace replay reply repo report repository represent reproduce request required
reserved reset resize resolution resolve resource respect response rest restart restore restrict result
resume retain retrieve retry return reuse reverse reverts review revision rework rewrite rid right risk
robust role roll root rotation round route row rules run runner runtime safe safety said sample sanitizer
satisfied save say scalar scale scan scenario scheduler schema scheme scope scratch script search second
secret section security see seems seen select selector self semantics send sense sensitive sent sentence
separate september sequence serialization series serve server service session set setup several shared shell
shift ship short shortcut shorter show shown shutdown sibling side signal signature significant silence
silently similar simple simpler simplify simply since single site situation size skip slash sleep slightly
slot slow small smaller snapshot snippets socket solution solve something sometimes soon sort source space
spec special specific specified speed spelling split spot spurious sql src stable stack stage stale
standalone standard start startup state statement static stats status stays stderr stdout step still stop
storage store stream strict string strip struct structure stub stuff style subdirectory subject subsequent
subset substitution succeed success successfully suffix suggestions suite summary supplied support supposed
suppress sure surface survive swap switch symbols symlink sync synchronous syntax synthetic system tab table
tag take taken talking tar target task teardown technically tell template temporarily temporary term
terminal test text therefore things think though thousand thread three throughout throw thursday thus time
timeout timer timestamp title today todo together token took tool toolchain top total touch towards trace
track traffic trailing transfer transform transient transition translated transport traversal treat tree
tries trigger trim trivial true truncation trust try tuesday tuple turn tutorial tweak twice two type
typescript typically typo ui unable unavailable unchanged unconditionally undefined underlying understand
unexpected unify uninitialized union unique unit unix unknown unless unlikely unnecessary unreachable
unrelated unset unsigned unsupported unused upcoming update upgrade upload upper upstream url usable usage
use useless user username usually utc utf util validation value var variable variant various vector vendor
verbose verification verify version via view virtual visible void vulnerability wait walk want warning way
wednesday week well went whenever whether whitespace whole wide width wildcard windows wire within without
wording work workaround worker workflow worth wrap wrapper write written wrong wrongly xml yaml year yet
yield zero
"""
_PAST = """
began brought chose drew drove fell felt flew gave grew knew led met paid rose saw sold spoke stood stuck
threw told woke wore wrote
"""
"""Irregular forms, whose stem differs from that of the present tense."""
_VAGUE = """
add bug build change check choose code command create data delete detail do document error example feature
file find fix function general get give handle help implement improve info introduce investigate issue item
job line list look make method module name need new note number object option output part plan prepare
problem process program project put read remove rename report result review run set show software source
start step stuff support system task test text thing time together try type update upgrade use user value
version want way work write
"""
"""Words with almost no meaning of their own."""


def is_common(word: str) -> bool:
    """Whether a word is common in software projects, in any form."""
    return stem(word.lower()) in _stems(_COMMON + _PAST)


def is_vague(word: str) -> bool:
    """Whether a word has almost no meaning of its own."""
    return stem(word.lower()) in _stems(_VAGUE)


@cache
def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.split()))
