#!/bin/sh
# tiny: the smallest bot that still obeys the protocol, to show that any language will do.
#
# It plays the first card of "legal" and shoves the first cards of its "hand". It calls no other
# program: the shell's own read, case, echo and ${...} take the JSON apart. For that it trusts
# the referee to write JSON without spaces, as the protocol does.

while read -r line; do
    case $line in
    '{"type":"play"'*)
        id=${line#*'"id":'}           # cut off all up to the number,
        id=${id%%,*}                  # then all that comes after it
        card=${line#*'"legal":["'}
        echo "{\"id\":$id,\"card\":\"${card%%'"'*}\"}"
        ;;
    '{"type":"shove"'*)
        id=${line#*'"id":'}
        id=${id%%,*}
        count=${line#*'"count":'}
        count=${count%%,*}
        hand=${line#*'"hand":['}      # "AC","KD",... with the quotes on
        cards=${hand%%,*}
        while [ "$count" -gt 1 ]; do  # one more card for each beyond the first
            hand=${hand#*,}
            cards=$cards,${hand%%,*}
            count=$((count - 1))
        done
        echo "{\"id\":$id,\"cards\":[$cards]}"
        ;;
    '{"type":"hello"'*)
        echo '{"type":"ready","name":"tiny","version":"1"}'
        ;;
    '{"type":"goodbye"'*)
        exit
        ;;
    esac
done
