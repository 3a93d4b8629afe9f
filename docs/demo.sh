#!/bin/sh
# The main job of git mem, visibly: each command is shown before its output.
# Run by `make demo`; needs git-mem on PATH. Everything it builds goes to a temporary directory.
set -eu

project=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf '\n\033[1m# %s\033[0m\n' "$*"; }
run() {
    printf '\033[36m$ %s\033[0m\n' "$*"
    sh -c "$*"
}
# For a command whose answer is "no": its exit code is part of what there is to see.
ask() {
    printf '\033[36m$ %s\033[0m\n' "$*"
    code=0
    sh -c "$*" || code=$?
    printf '(exit code %s)\n' "$code"
}
[ -t 1 ] || { say() { printf '\n# %s\n' "$*"; }; run() { printf '$ %s\n' "$*"; sh -c "$*"; }
              ask() { printf '$ %s\n' "$*"; code=0; sh -c "$*" || code=$?; printf '(exit code %s)\n' "$code"; }; }

say "1. This project remembers its own decisions, and checks them"
cd "$project"
run "git mem where"
run "git mem list"
ask "git mem search libgit2 dulwich"
ask "git mem search how do readers see a killed writer -n 3"
ask "git mem explain killed writers -n 2"
ask "git mem check"

# From here on a world of its own: nobody's configuration, a pinned identity.
export HOME="$work" XDG_CONFIG_HOME="$work/.config" GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME="Ada" GIT_AUTHOR_EMAIL="ada@example.com"
export GIT_COMMITTER_NAME="Ada" GIT_COMMITTER_EMAIL="ada@example.com"

say "2. A small repository with a linked worktree"
cd "$work"
run "git init -q -b main shop"
cd shop
cat > payment.py <<'PY'
"""Takes payments."""

RETRIES = 3


def charge(card, amount):
    for attempt in range(RETRIES):
        if card.charge(amount, key=f"{amount}-{attempt}"):
            return True
    return False
PY
run "git add payment.py && git commit -q -m 'Retry a failed charge three times'"
run "git worktree add -q -b faster ../shop-faster"

say "3. Remember a decision with its evidence: a commit, and the lines that carry it out"
run "git mem init"
run "git mem add 'Charge a card at most three times' --kind decision \\
      --decision 'The bank blocks cards after the fourth attempt.' \\
      --tag payment --file payment.py:6-10 --commit HEAD"

say "4. Find it from the other worktree: there is one store for all of them"
cd ../shop-faster
run "git mem where"
run "git mem search bank attempt"
ask "git mem search why are banks bloking cards"
ask "git mem check"

say "5. Change the cited lines in this worktree: here it is not true any more"
run "sed -i.bak 's/range(RETRIES)/range(10)/' payment.py && rm payment.py.bak"
ask "git mem check"
run "git commit -q -a -m 'Try harder'"
ask "git mem check"
ask "git mem bisect \$(git mem list | cut -d ' ' -f 1)"

say "6. In the main checkout it still holds: each worktree has its own truth"
cd ../shop
ask "git mem check"

say "7. Decide anew: one transaction replaces the old entry, and the history tells"
run "git mem add 'Charge a card at most twice' --kind decision --file payment.py:6-10 \\
      --notes 'The bank has become stricter.' --supersedes \$(git mem list | cut -d ' ' -f 1)"
run "git mem list"
run "GIT_EDITOR=\"sed -i.bak 's/stricter/strict/'\" git mem edit \$(git mem list | cut -d ' ' -f 1)"
run "git mem log"
run "git mem diff"

say "8. The store is swept away, and comes back"
run "git clean -q -fdX"
ask "git mem status"
run "git mem restore"
ask "git mem doctor"

say "9. Let it follow the code without being asked: hooks, changed sets, the project's files"
run "git mem hooks install"
run "sed -i.bak 's/range(RETRIES)/range(2)/' payment.py && rm payment.py.bak"
run "git commit -q -a -m 'Two attempts'"
run "git mem mine"
run "git mem search --in files attempt"
run "git mem manifest --since HEAD~1 | tee /dev/stderr | git mem update --manifest -"
run "git mem hooks status"
