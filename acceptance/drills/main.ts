import { readArguments, refuseArguments } from '../support/arguments.ts'
import { missingPackages } from './drill.ts'
import { drills } from './index.ts'
import { recordOf, store } from './results.ts'

const width = Math.max(0, ...drills.map(({ name }) => name.length))
const usage = `npm run drill                             lists the drills
npm run drill -- NAME [--short] [--write]  runs one

  --short   the form that npm run test:full runs
  --write   records the results; then run npm run check -- --write

${drills.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join('\n')}`

const { values, positionals } = readArguments(usage, {
  options: { short: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const [name, ...more] = positionals
if (name === undefined) console.log(usage)
else await run(name)

async function run(name: string): Promise<void> {
  const drill = drills.find((each) => each.name === name)
  if (drill === undefined || more.length > 0) refuseArguments(`There is no drill ${positionals.join(' ')}.`, usage)
  const missing = missingPackages(drill)
  if (missing.length > 0) throw new Error(`Install ${missing.join(', ')} first.`)
  const began = performance.now()
  const { short } = values
  const results = await drill.run({ short, log: (line) => console.log(line) })
  for (const { component, version, tried, result, ok, figures } of results) {
    console.log(`${ok ? 'ok    ' : 'FAILED'} ${component} ${version}: ${tried}. ${result}`)
    for (const { name, value } of figures) console.log(`         ${name}: ${value}`)
  }
  if (values.write) store(recordOf(drill.name, results, { short, began }))
  process.exitCode = results.every(({ ok }) => ok) ? 0 : 1
}
