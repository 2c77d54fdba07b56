import type { Fields } from './records.ts'

/**
 * The meaning of a source's columns: `number=HOUSE,street=PRE+NAME+TYPE,city=TOWN,zip=ZIP`. `A+B` joins two columns with a
 * space, `A++B` without a space; `A|B` is the first nonempty one. A source with ranges has `low`, `high`, and `parity` instead of
 * `number`; one with two sides has each with `_l` and `_r`.
 */
const FORMATS: Readonly<Record<string, string>> = {
  'tiger-addrfeat':
    'street=FULLNAME,low_l=LFROMHN,high_l=LTOHN,parity_l=PARITYL,zip_l=ZIPL,low_r=RFROMHN,high_r=RTOHN,parity_r=PARITYR,zip_r=ZIPR',
  'tiger-edges': 'street=FULLNAME,low_l=LFROMADD,high_l=LTOADD,zip_l=ZIPL,low_r=RFROMADD,high_r=RTOADD,zip_r=ZIPR',
  'openaddresses-csv': 'number=NUMBER,street=STREET,city=CITY,state=REGION,zip=POSTCODE',
  'openaddresses-geojsonl': 'number=NUMBER,street=STREET,city=CITY,state=REGION,zip=POSTCODE',
  lines: 'number=NUMBER,street=STREET',
  'nad-csv':
    'number=AddNum_Pre++Add_Number++AddNum_Suf|AddNo_Full,street=St_PreMod+St_PreDir+St_PreTyp+St_PreSep+St_Name+St_PosTyp+St_PosDir+St_PosMod|StNam_Full,city=Post_City|Inc_Muni|Uninc_Comm,also=Inc_Muni,state=State,zip=Zip_Code',
  'nar-csv':
    'number=CIVIC_NO++CIVIC_NO_SUFFIX,street=OFFICIAL_STREET_NAME+OFFICIAL_STREET_TYPE+OFFICIAL_STREET_DIR,city=MAIL_MUN_NAME|CSD_ENG_NAME,also=CSD_ENG_NAME,state=MAIL_PROV_ABVN,zip=MAIL_POSTAL_CODE',
  'msag-csv': 'low=Low,high=High,parity=O/E,street=Dir+Street+Suffix+Post_Dir,city=Community,state=State,zip=Zip',
  'nena-ssap-csv':
    'number=AddNum_Pre++Add_Number++AddNum_Suf,street=St_PreMod+St_PreDir+St_PreTyp+St_PreSep+St_Name+St_PosTyp+St_PosDir+St_PosMod,city=MSAGComm|Inc_Muni|Post_Comm,also=Post_Comm,state=State,zip=Post_Code',
  'nena-rcl-csv':
    'street=St_PreMod+St_PreDir+St_PreTyp+St_PreSep+St_Name+St_PosTyp+St_PosDir+St_PosMod,low_l=FromAddr_L,high_l=ToAddr_L,parity_l=Parity_L,city_l=MSAGComm_L|IncMuni_L|PostComm_L,also_l=PostComm_L,state_l=State_L,zip_l=PostCode_L,low_r=FromAddr_R,high_r=ToAddr_R,parity_r=Parity_R,city_r=MSAGComm_R|IncMuni_R|PostComm_R,also_r=PostComm_R,state_r=State_R,zip_r=PostCode_R',
}

const NAMES = ['street', 'number', 'low', 'high', 'parity', 'city', 'also', 'state', 'zip'] as const
type Name = (typeof NAMES)[number]

/** The columns of one side of a street, or of the only side. */
export type Columns = Partial<Record<Name, string>>

/** The sides in a description. Throws if it is invalid. */
export function columnsOf(format: string, description: string | undefined): Columns[] {
  const text = description ?? FORMATS[format]
  if (text === undefined) throw new Error(`Unknown columns for ${format}. Give --columns number=…,street=…`)
  const shared: Columns = {}
  const sides: Record<string, Columns> = {}
  for (const pair of text.split(',')) {
    const [, name = '', side = '', value = ''] = /^\s*([a-z]+)(?:_([lr]))?=(.+?)\s*$/.exec(pair) ?? []
    if (!isName(name)) throw new Error(`${pair} must be one of ${NAMES.join(', ')}, followed by = and a column.`)
    if (side === '') shared[name] = value
    else (sides[side] ??= {})[name] = value
  }
  const all = Object.keys(sides).length === 0 ? [shared] : Object.values(sides).map((side) => ({ ...shared, ...side }))
  if (all.some(({ street, number, low }) => street === undefined || (number ?? low) === undefined))
    throw new Error('--columns needs street, and number or low.')
  return all
}

const isName = (name: string): name is Name => NAMES.some((one) => one === name)

/** The value of an expression for a record. */
export function valueOf(fields: Fields, expression: string | undefined): string {
  for (const one of (expression ?? '').split('|')) {
    const text = joined(one, fields)
    if (text !== '') return text
  }
  return ''
}

function joined(expression: string, fields: Fields): string {
  let [text, blank] = ['', ' ']
  for (const name of expression.split('+')) {
    if (name === '') {
      blank = ''
      continue
    }
    const value = (fields.get(name.trim().toLowerCase()) ?? '').trim()
    // keep 12 and 1/2 apart
    const apart = /\d$/.test(text) && /^\d/.test(value) ? ' ' : blank
    if (value !== '' && !/^(null|n\/a)$/i.test(value)) text += (text === '' ? '' : apart) + value
    blank = ' '
  }
  return text
}
