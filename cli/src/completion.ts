import { script } from '@bomb.sh/tab'
import { usage } from './failure.ts'
import type { Verb } from './verb.ts'

const shells = ['bash', 'zsh', 'fish'] as const

export const completion: Verb = {
  name: 'completion',
  summary: 'Print the completion script of a shell',
  description:
    'Commands, options, status words, and ids of the account, which are asked for at the service with a short time limit.',
  arguments: [{ name: 'shell', summary: `One of ${shells.join(', ')}`, complete: shells }],
  examples: [
    'completion bash > ~/.local/share/bash-completion/completions/demarc',
    'completion zsh > "${fpath[1]}/_demarc"',
    'completion fish > ~/.config/fish/completions/demarc.fish',
  ],
  async run({ output }, input) {
    const shell = input.argument('shell')
    if (!shells.some((each) => each === shell))
      throw usage('shell', `Must be one of ${shells.join(', ')}, not ${shell}.`)
    await output.bytes(`${scriptOf(shell)}\n`)
  },
}

/** The library prints its script instead of returning it. */
function scriptOf(shell: string): string {
  const print = console.log
  const printed: unknown[] = []
  console.log = (text: unknown) => printed.push(text)
  try {
    script(shell, 'demarc', 'demarc')
  } finally {
    console.log = print
  }
  // bash refuses to read a script with these twice in one session
  return printed.join('\n').replaceAll(/^readonly /gm, '')
}
