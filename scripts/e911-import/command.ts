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

export const USAGE = `Imports and manages the street data that emergency addresses are validated against.

  npm run e911:import -- FILE --format FORMAT --name NAME [options]
  npm run e911:import -- --list | --coverage | --activate-id ID | --drop-id ID

FILE is plain, gzip, or zip. In a zip archive, every file with a matching extension is read.

  --format FORMAT     ${Object.keys(FORMATS)
    .join(', ')
    .replaceAll(/(.{1,60}), /g, '$1,\n                      ')}
  --name NAME         name of the data; one vintage of a name is active at a time
  --vintage TEXT      edition of the data, such as 2026-11; default: today
  --activate          activate the data when loaded, in place of the active vintage
  --force             activate it even if its report holds it
  --state XX, --country US|CA, --city NAME
                      values for columns that the file lacks
  --columns ours=theirs,…
                      column names of the file, if they differ from the format's
  --layout name=first-last,…
                      column positions in fixed-width lines, counted from 1
  --authority authoritative|indicative
                      whether a number missing from the data does not exist; default: by format
  --license TEXT, --source TEXT
                      stored with the dataset

  --list              list all datasets with their ids
  --coverage          show the coverage of the active data by state, or with --state XX, by county
  --activate-id ID    activate a loaded dataset, or roll back to the previous vintage
  --drop-id ID        delete a dataset

  --database URL      default: DATABASE_URL, or the embedded database in DEMARC_DATA (./data)
  --help              show this text`

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

/** Invalid arguments; `message` has the reason and the remedy. */
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
    usedOption('activate-id'),
    usedOption('drop-id'),
    ...positionals,
  ].filter((each) => each !== false)
  function usedOption(name: 'activate-id' | 'drop-id') {
    return values[name] !== undefined && `--${name}`
  }
  if (actions.length === 0) throw new CommandRefused('No file or command given.')
  if (actions.length > 1) throw new CommandRefused(`Give only one of ${actions.join(' and ')}.`)
  if (database !== undefined && !/^postgres(ql)?:/.test(database))
    throw new CommandRefused('--database must be a postgres: or postgresql: URL.')
  if (list) return { do: 'list', database }
  if (coverage) return { do: 'coverage', state: stateWithCounties(values.state), database }
  if (values['activate-id'] !== undefined)
    return { do: 'activate', id: idOf('--activate-id', values['activate-id']), force: values.force, database }
  if (values['drop-id'] !== undefined) return { do: 'drop', id: idOf('--drop-id', values['drop-id']), database }
  return { do: 'load', database, ...loadOf(positionals[0] ?? '', values, today) }
}

/** Provinces and territories have no counties in the postal data. */
function stateWithCounties(text: string | undefined): string | undefined {
  const state = text?.toUpperCase()
  if (state === undefined || statesOfUs.has(state)) return state
  throw new CommandRefused(`--state: ${state} is not a US state. Counties are only known for the United States.`)
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
      `${format === '' ? '--format is missing' : `Unknown format ${format}`}. Formats: ${Object.keys(FORMATS).join(', ')}.`,
    )
  if (name.trim() === '') throw new CommandRefused('--name is missing. Give the data a name.')
  if (country !== undefined && country !== 'US' && country !== 'CA')
    throw new CommandRefused('--country must be US or CA.')
  if (authority !== undefined && authority !== 'authoritative' && authority !== 'indicative')
    throw new CommandRefused('--authority must be authoritative or indicative.')
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

function read<T>(name: string, value: string | undefined, reader: (text: string) => T): T | undefined {
  try {
    return value === undefined ? undefined : reader(value)
  } catch (error) {
    throw new CommandRefused(`--${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

function idOf(option: string, value: string): number {
  if (!/^[1-9]\d{0,4}$/.test(value)) throw new CommandRefused(`${option} must be the ID of a dataset. See --list.`)
  return Number(value)
}
