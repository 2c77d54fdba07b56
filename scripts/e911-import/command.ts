import { parseArgs } from 'node:util'
import { type Authority, statesOfUs } from '../../server/src/engines/addresses/index.ts'
import {
  type FormatName,
  FORMATS,
  isFormat,
  layoutOption,
  optionErrors,
  pairsOption,
  type PlaceDefaults,
  type ReadOptions,
} from '../../server/src/engines/street-data/index.ts'

/** Parses the command line of the import. */

export const USAGE = `Loads street data, against which emergency addresses are checked, and looks after what is loaded.

  npm run e911:import -- FILE --format FORMAT --name NAME [options]
  npm run e911:import -- --list | --coverage | --activate-id ID | --drop-id ID

FILE is plain, gzip, or a zip archive, of which every file with a fitting ending is read.

  --format FORMAT     ${Object.keys(FORMATS)
    .join(', ')
    .replaceAll(/(.{1,60}), /g, '$1,\n                      ')}
  --name NAME         what the data is called; a name has one active vintage at a time
  --vintage TEXT      the issue of the data, such as 2026-11; default: today
  --activate          makes it count as soon as it is loaded, in the place of the vintage that does
  --force             even if its report holds it
  --state XX, --country US|CA, --city NAME
                      what the file does not say itself
  --columns ours=theirs,…
                      what its columns are called, where the format calls them otherwise
  --layout name=first-last,…
                      where they stand in lines of fixed width, counted from 1
  --authority authoritative|indicative
                      whether a number that it does not have does not exist; default: by the format
  --license TEXT, --source TEXT
                      are kept with it

  --list              every dataset, with its id
  --coverage          what the active ones have in each state; with --state XX, in each of its counties
  --activate-id ID    makes one that is loaded count, or goes back to the vintage before
  --drop-id ID        removes one

  --database URL      default: DATABASE_URL, or else the embedded database below DEMARC_DATA (./data)
  --help              this text`

/** A file to be loaded. */
export interface Load extends ReadOptions, PlaceDefaults {
  file: string
  format: FormatName
  name: string
  vintage: string
  activate: boolean
  force: boolean
  authority?: Authority
  license: string
  source: string
}

export type Command = { database?: string | undefined } & (
  | { do: 'help' }
  | { do: 'list' }
  | { do: 'coverage'; state: string | undefined }
  | { do: 'activate'; id: number; force: boolean }
  | { do: 'drop'; id: number }
  | ({ do: 'load' } & Load)
)

/** Arguments that are no command; `message` has the reason and the remedy. */
export class CommandRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(`${message}\nSee npm run e911:import -- --help`, options)
    this.name = 'CommandRefused'
  }
}

const text = { type: 'string' } as const
const flag = { type: 'boolean', default: false } as const
const options = {
  help: { ...flag, short: 'h' },
  database: text,
  format: text,
  name: text,
  vintage: text,
  activate: flag,
  force: flag,
  state: text,
  country: text,
  city: text,
  columns: text,
  layout: text,
  authority: text,
  license: text,
  source: text,
  list: flag,
  coverage: flag,
  'activate-id': text,
  'drop-id': text,
} as const

/** Parses the arguments. `today` is the default of the vintage. Throws CommandRefused. */
export function readCommand(args: readonly string[], today: string): Command {
  const { values, positionals } = parsed(args)
  const { database, help, list, coverage } = values
  if (help) return { do: 'help' }
  const actions = [
    list && '--list',
    coverage && '--coverage',
    given('activate-id'),
    given('drop-id'),
    ...positionals,
  ].filter((each) => each !== false)
  function given(name: 'activate-id' | 'drop-id') {
    return values[name] !== undefined && `--${name}`
  }
  if (actions.length === 0) throw new CommandRefused('Which file, or what else?')
  if (actions.length > 1) throw new CommandRefused(`One thing at a time, not ${actions.join(' and ')}.`)
  if (database !== undefined && !/^postgres(ql)?:/.test(database))
    throw new CommandRefused('--database is a URL with postgres: or postgresql:.')
  if (list) return { do: 'list', database }
  if (coverage) return { do: 'coverage', state: stateWithCounties(values.state), database }
  if (values['activate-id'] !== undefined)
    return { do: 'activate', id: idOf('--activate-id', values['activate-id']), force: values.force, database }
  if (values['drop-id'] !== undefined) return { do: 'drop', id: idOf('--drop-id', values['drop-id']), database }
  return { do: 'load', database, ...loadOf(positionals[0] ?? '', values, today) }
}

/** Provinces and territories have no counties in the postal data. */
function stateWithCounties(given: string | undefined): string | undefined {
  const state = given?.toUpperCase()
  if (state === undefined || statesOfUs.has(state)) return state
  throw new CommandRefused(`--state: ${state} is no state of the United States. Only its counties are known.`)
}

type Values = ReturnType<typeof parsed>['values']

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options })
  } catch (error) {
    if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))
      // the following sentences are about positional arguments that begin with a dash
      throw new CommandRefused(`${error.message.split('. ', 1)[0]}.`, { cause: error })
    throw error
  }
}

function loadOf(file: string, values: Values, today: string): Load {
  const { format = '', name = '', vintage = today, country, authority, city } = values
  if (!isFormat(format))
    throw new CommandRefused(
      `${format === '' ? '--format is missing' : `${format} is no format`}. There are ${Object.keys(FORMATS).join(', ')}.`,
    )
  if (name.trim() === '') throw new CommandRefused('--name is missing: what the data is to be called.')
  if (country !== undefined && country !== 'US' && country !== 'CA') throw new CommandRefused('--country is US or CA.')
  if (authority !== undefined && authority !== 'authoritative' && authority !== 'indicative')
    throw new CommandRefused('--authority is authoritative or indicative.')
  const state = values.state?.toUpperCase()
  const columns = read('columns', values.columns, pairsOption)
  const layout = read('layout', values.layout, layoutOption)
  const [error] = Object.entries(optionErrors(format, { columns, layout, state, country }))
  if (error) throw new CommandRefused(`--${error[0]}: ${error[1].join(' ')}`)
  return {
    file,
    format,
    name,
    vintage,
    activate: values.activate,
    force: values.force,
    country,
    state,
    city,
    license: values.license ?? '',
    source: values.source ?? '',
    ...(authority === undefined ? {} : { authority }),
    ...(columns === undefined ? {} : { columns }),
    ...(layout === undefined ? {} : { layout }),
  }
}

function read<T>(name: string, given: string | undefined, reader: (text: string) => T): T | undefined {
  try {
    return given === undefined ? undefined : reader(given)
  } catch (error) {
    throw new CommandRefused(`--${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

function idOf(option: string, value: string): number {
  if (!/^[1-9]\d{0,4}$/.test(value)) throw new CommandRefused(`${option} is the id of a dataset, as --list shows it.`)
  return Number(value)
}
