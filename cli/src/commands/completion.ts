import { usage } from '../failure.ts'
import type { Verb } from '../verb.ts'

const bash = `# bash completion for demarc
_demarc() {
  local line directive=0 word prefix=
  local typed=\${COMP_LINE:0:COMP_POINT}
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :*) directive=\${line#:} ;;
      *) printf -v word %q "\${line%%$'\\t'*}"; COMPREPLY+=("$word") ;;
    esac
  done < <(demarc complete --line "$typed" 2>/dev/null)
  # bash ends words at = and :, so what stands before them is not replaced
  word=\${typed##*[[:space:]]}
  case $word in
    *[=:]*) prefix=\${word%"\${word##*[=:]}"} ;;
  esac
  COMPREPLY=("\${COMPREPLY[@]#"$prefix"}")
  [ "$directive" = 0 ] || compopt +o default
}
complete -o default -F _demarc demarc
`

const zsh = `#compdef demarc
# zsh completion for demarc
_demarc() {
  local line directive=0
  local -a found
  for line in "\${(@f)$(demarc complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      :*) directive=\${line#:} ;;
      ?*) found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done
  if (( \${#found} )); then
    _describe -t values demarc found
  elif [[ $directive == 0 ]]; then
    _files
  fi
}
if [[ \${funcstack[1]} == _demarc ]]; then
  _demarc "$@"
else
  compdef _demarc demarc
fi
`

const fish = `# fish completion for demarc
function __demarc_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (demarc complete -- $words[2..-1] 2>/dev/null)
        switch $line
            case ':0'
                __fish_complete_path (commandline -ct)
            case ':*'
            case '*'
                echo $line
        end
    end
end
complete -c demarc -f -a '(__demarc_complete)'
`

const scripts: Readonly<Record<string, string>> = { bash, zsh, fish }
const shells = Object.keys(scripts)

export const completion: Verb = {
  name: 'completion',
  summary: 'Print a shell completion script',
  description:
    'Completes commands, options, status names, and IDs. IDs are requested from the service with a short time limit.',
  arguments: [{ name: 'shell', summary: `One of ${shells.join(', ')}`, complete: shells }],
  examples: [
    'completion bash > ~/.local/share/bash-completion/completions/demarc',
    'completion zsh > "${fpath[1]}/_demarc"',
    'completion fish > ~/.config/fish/completions/demarc.fish',
  ],
  async run({ output }, input) {
    const shell = input.argument('shell')
    const script = scripts[shell]
    if (script === undefined) throw usage('shell', `Must be one of ${shells.join(', ')}, not ${shell}.`)
    await output.bytes(script)
  },
}
