#!/bin/sh
# A whist agent for the shell: the first of its legal actions. See ../protocol.md.
#
#     whist evaluate cmd:docs/clients/lowest.sh random
#
# "move" and "legal" stand first in a question, so that no reader of JSON is needed.
while IFS= read -r line; do
    case $line in
    '{"type":"hello"'*)
        echo '{"ready":true}'
        ;;
    '{"type":"act"'*)
        move=${line#*'"move":'}
        legal=${line#*'"legal":["'}
        echo "{\"move\":${move%%,*},\"action\":\"${legal%%'"'*}\"}"
        ;;
    '{"type":"quit"'*)
        exit
        ;;
    esac
done
