import type { Config } from '../config.ts'
import type { DemoKeys } from './demo.ts'

/** Prints the service's URL and the demo keys to standard output. The log goes to standard error. */
export function printWelcome(w: {
  config: Config
  url: string
  warnings: string[]
  demo: DemoKeys | null
  demo_file: string
  ready_ms: number
}): void {
  const lines = [
    `Demarc is ready at ${w.url} (${w.config.mode} mode, ${(w.ready_ms / 1000).toFixed(1)} s).`,
    `  Portal             ${w.url}/`,
    `  API documentation  ${w.url}/docs`,
  ]
  if (w.demo) {
    const { account, other_account, operator } = w.demo
    lines.push(
      `  Customer           ${account.access_key}:${account.secret_key}`,
      `  Second customer    ${other_account.access_key}:${other_account.secret_key}`,
      `  Operator           ${operator.access_key}:${operator.secret_key}`,
      `  Keys as JSON       ${w.demo_file}`,
      '',
      `  curl -u ${account.access_key}:${account.secret_key} ${w.url}/v2/numbers`,
      '',
      'These keys work on this machine only. Losing carriers are simulated, and you can move the clock. Press Ctrl-C to stop.',
    )
  }
  lines.push(...w.warnings.map((warning) => `  Note: ${warning}`))
  console.log(lines.join('\n'))
}
