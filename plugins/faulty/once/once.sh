#!/bin/sh
# A program in Harvest's manner that misbehaves by order: `once.sh [WORD] FILE`.
#
# What it does wrong is a word: in the first line of the document, as `FAULT: word`; else in the option `how`; else in
# its first argument. The list below has them all. None goes on for ever where that would hurt the machine of whoever
# forgot to end it.
set -eu

order=good
if [ $# -gt 1 ]; then
    order=$1
    shift
fi
if [ "${OPTION_HOW:-good}" != good ]; then
    order=$OPTION_HOW
fi
asked=$(head -n 1 "$1" | tr -d '\000' | sed -n 's/^FAULT:[[:space:]]*\([a-z0-9-]*\).*/\1/p')
order=${asked:-$order}

good() {
    printf 'Title{4}:\tgood\nLines{1}:\t1\n'
}

spin() {
    end=$(($(date +%s) + 600))
    while [ "$(date +%s)" -lt "$end" ]; do :; done
}

case $order in
good) good ;;
nothing) ;;
spin) spin ;;
sleep) sleep 600 ;;
# 4 GiB. An answer behind that means that nobody has stopped it.
allocate)
    awk 'BEGIN { s = sprintf("%1048576s", ""); for (i = 0; i < 12; i++) s = s s; print length(s) > "/dev/null" }'
    good
    ;;
flood) yes 'Title{5}:	flood' ;;
flood-stderr) yes 'and another thing' >&2 ;;
crash) kill -ABRT $$ ;;
exit)
    echo 'these are its last words' >&2
    exit 7
    ;;
refuse)
    echo 'refused by order' >&2
    exit 65
    ;;
# What was printed before it failed does not count.
fail)
    good
    exit 1
    ;;
garbage) printf '<html>these are no attributes</html>\n' ;;
# The size of a value that is not there, and one that is no size.
lie-length) printf 'Title{1000000}:\tshort\n' ;;
lie-more) printf 'Title{99999999999999999999}:\tshort\nTitle{-1}:\tshort\n' ;;
half-frame)
    printf 'Title{100}:\tha'
    sleep 600
    ;;
not-utf8) printf 'Title{3}:\t\377\376\303\n' ;;
strange)
    printf 'MD5{1}:\tx\nType{1}:\tx\na b{1}:\tx\n{1}:\tx\n'
    printf 'Title{6}:\t\033[31m\000\nURL-References{8}:\thttp://[\n'
    ;;
# Children that keep its output open: one in its group, one that has left it.
fork)
    sleep 600 &
    good
    ;;
fork-away)
    # The sandbox keeps it in its group.
    (setsid sleep 600 || sleep 600) &
    # Otherwise the group may be ended before the child has left it.
    sleep 1
    good
    ;;
ignore-term)
    trap '' TERM INT HUP QUIT
    spin
    ;;
close-stdout)
    exec >&-
    sleep 600
    ;;
# What the sandbox forbids; the title says what came of it.
connect)
    said=$(bash -c 'exec 3<>/dev/tcp/127.0.0.1/1' 2>&1 || true)
    case $said in
    *refused*) printf 'Title{10}:\tit was let\n' ;;
    *) printf 'Title{11}:\tit was kept\n' ;;
    esac
    ;;
write-outside)
    place=/tmp/gatherer-faulty-$$
    if (: >"$place") 2>/dev/null; then
        rm -f "$place"
        printf 'Title{10}:\tit was let\n'
    else
        printf 'Title{11}:\tit was kept\n'
    fi
    ;;
write-scratch)
    echo 'as it may' >"$TMPDIR/notes"
    printf 'Title{10}:\tit was let\n'
    ;;
environment)
    names=$(env | sed 's/=.*//' | sort | tr '\n' ' ')
    printf 'Title{%s}:\t%s\n' "${#names}" "$names"
    ;;
remove-file)
    rm -f "$1"
    good
    ;;
*)
    echo "there is no fault $order" >&2
    exit 2
    ;;
esac
