import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { importText, openAddresses } from '../testing/import.ts'
import { testDatabase } from '../../../../test/support/database.ts'
import { dbfOf } from '../testing/dbf.ts'
import type { FormatName } from './formats/index.ts'
import type { ImportOptions } from './importer.ts'
import { CSV, stored } from '../testing/stored.ts'
import { zipOf } from '../../../platform/testing/zip.ts'

/** Format, file, options, the resulting streets, and the skipped rows. */
const FORMATS: [string, FormatName, string | Uint8Array, Partial<ImportOptions>, string[], Record<string, number>][] = [
  [
    'OpenAddresses in CSV',
    'openaddresses-csv',
    openAddresses(
      '12 Main Street|Hertford|NC|27944',
      '14 MAIN ST|Hertford|NC|27944-1234',
      '14 Main St Apt 2|HERTFORD|nc|27944',
      '7 Oak St||NC|27944',
      '7 |Hertford|NC|27944',
      'x Main St|Hertford|NC|27944',
      '7 PO Box 3|Hertford|NC|27944',
      '7 Elm St|||',
    ),
    {},
    ['US|NC|27944|HERTFORD|MAIN ST|[12,14]|', 'US|NC|27944|HERTFORD|OAK ST|[7]|'],
    { 'no street name': 1, 'house number not understood': 1, 'mail only': 1, 'no state': 1 },
  ],
  [
    'OpenAddresses in GeoJSON lines',
    'openaddresses-geojsonl',
    '{"type":"Feature","properties":{"number":"12","street":"Main St","city":"Hertford","region":"NC","postcode":"27944"},"geometry":null}\nnot JSON\n{"properties":{"number":14,"street":"Main St","city":"Hertford","region":"North Carolina","postcode":"27944"}}\n',
    {},
    ['US|NC|27944|HERTFORD|MAIN ST|[12,14]|'],
    { 'no street name': 1 },
  ],
  [
    'TIGER ADDRFEAT, whose city and state come from the ZIP code',
    'tiger-addrfeat',
    dbfOf([
      {
        fullname: 'N Main St',
        lfromhn: '101',
        ltohn: '199',
        rfromhn: '200',
        rtohn: '102',
        zipl: '27944',
        zipr: '27944',
        parityl: 'O',
        parityr: 'E',
      },
      { fullname: 'N Main St', lfromhn: '', ltohn: '', rfromhn: '', rtohn: '' },
      { fullname: 'Oak St', lfromhn: '1', ltohn: '9', zipl: '99999', parityl: 'O' },
    ]),
    {},
    ['US|NC|27944|HERTFORD|N MAIN ST|[[101,199,1],[102,200,2]]|'],
    { 'no house number': 1, 'no state': 1 },
  ],
  [
    'TIGER EDGES in the archive as it is downloaded',
    'tiger-edges',
    zipOf({
      'tl_2020_37143_edges.shp': 'no',
      'tl_2020_37143_edges.dbf': dbfOf([
        {
          statefp: '37',
          countyfp: '143',
          fullname: 'Bay St',
          lfromadd: '388',
          ltoadd: '100',
          rfromadd: '101',
          rtoadd: '388',
          zipl: '27944',
          zipr: '27944',
        },
        { statefp: '37', countyfp: '143', fullname: 'Raleigh Trl', lfromadd: 'P99', ltoadd: 'P00', zipl: '27944' },
        { statefp: '37', countyfp: '143', fullname: '' },
      ]),
    }),
    {},
    ['US|NC|27944|HERTFORD|BAY ST|[[100,388,2],[101,388,0]]|', 'US|NC|27944|HERTFORD|RALEIGH TRL|["P0|P99|0"]|'],
    { 'no street name': 1 },
  ],
  [
    'the National Address Database',
    'nad-csv',
    CSV(
      'State,County,Inc_Muni,Uninc_Comm,Post_City,Zip_Code,AddNum_Pre,Add_Number,AddNum_Suf,St_PreDir,St_PreTyp,St_Name,St_PosTyp,St_PosDir,Lifecycle',
      'NC,Perquimans,Unincorporated,Snug Harbor,Hertford,27944,,12,B,N,,Main,Street,,Active',
      'NC,Perquimans,Hertford,,,27944,,14,,,State Highway,45,,,Active',
      'NC,Perquimans,Hertford,,,27944,,16,,,,Gone,Street,,Retired',
    ),
    {},
    ['US|NC|27944|HERTFORD|N MAIN ST|["12B"]|', 'US|NC|27944|HERTFORD|STATE HWY 45|[14]|'],
    { 'marked as not in use': 1 },
  ],
  [
    'the National Address Register of Canada, under the official and the postal name',
    'nar-csv',
    CSV(
      'CIVIC_NO,CIVIC_NO_SUFFIX,OFFICIAL_STREET_NAME,OFFICIAL_STREET_TYPE,OFFICIAL_STREET_DIR,PROV_CODE,CSD_ENG_NAME,CSD_FRE_NAME,MAIL_STREET_NAME,MAIL_STREET_TYPE,MAIL_STREET_DIR,MAIL_MUN_NAME,MAIL_PROV_ABVN,MAIL_POSTAL_CODE',
      '55,,Sainte-Catherine,RUE,E,24,Montréal,Montréal,SAINTE-CATHERINE,RUE,E,MONTREAL,QC,H2X1K4',
      '7,A,Portage,AVE,,46,Winnipeg,Winnipeg,,,,WINNIPEG,,R3C1A1',
      '9,1/2,7,HWY,,35,Thornhill,Thornhill,HIGHWAY 7,,E,THORNHILL,ON,L3T1A1',
    ),
    {},
    [
      'CA|QC|H2X 1K4|MONTREAL|RUE SAINTE CATHERINE E|[55]|',
      'CA|ON|L3T 1A1|THORNHILL|HWY 7|["9 1/2"]|',
      'CA|ON|L3T 1A1|THORNHILL|HWY 7 E|["9 1/2"]|',
      'CA|MB|R3C 1A1|WINNIPEG|PORTAGE AVE|["7A"]|',
    ],
    {},
  ],
  [
    'a street address guide in a spreadsheet',
    'msag-csv',
    CSV(
      'DIR,STREET,COMMUNITY,ESN,LOW,HIGH,O/E',
      'N,MAIN ST,HERTFORD,401,101,199,O',
      'N,MAIN ST,HERTFORD,402,200,298,E',
      ',MILL RD,HERTFORD,401,0,0,B',
    ),
    { state: 'NC' },
    [
      'US|NC||HERTFORD|MILL RD|null|401',
      'US|NC||HERTFORD|N MAIN ST|[[101,199,1]]|401',
      'US|NC||HERTFORD|N MAIN ST|[[200,298,2]]|402',
    ],
    {},
  ],
  [
    'a guide with columns of its own names',
    'msag-csv',
    CSV('Road;From;To;Town;Side', 'Oak Street;1;99;Winfall;Odd'),
    { state: 'NC', columns: { street: 'Road', low: 'From', high: 'To', community: 'Town', parity: 'Side' } },
    ['US|NC||WINFALL|OAK ST|[[1,99,1]]|'],
    {},
  ],
  [
    'a guide of fixed width in the published layout',
    'msag-fixed',
    `${'N'.padEnd(2)}${'MAIN ST'.padEnd(56)}${'00000101'.padEnd(32)}${'00000199'.padEnd(24)}${'HERTFORD'.padEnd(32)}NC\n`,
    {},
    ['US|NC||HERTFORD|N MAIN ST|[[101,199,1]]|'],
    {},
  ],
  [
    'a guide of fixed width in another layout',
    'msag-fixed',
    'OAK ST      1   99  NCWINFALL\r\n',
    { layout: { street: [1, 10], low: [11, 15], high: [16, 20], state: [21, 22], community: [23, 40] } },
    ['US|NC||WINFALL|OAK ST|[[1,99,1]]|'],
    {},
  ],
  [
    'NENA road center lines',
    'nena-rcl-csv',
    CSV(
      'Country_L,Country_R,State_L,State_R,PostCode_L,PostCode_R,PostComm_L,PostComm_R,MSAGComm_L,MSAGComm_R,ESN_L,ESN_R,FromAddr_L,ToAddr_L,FromAddr_R,ToAddr_R,Parity_L,Parity_R,Valid_L,St_PreDir,St_Name,St_PosTyp',
      'US,US,NC,NC,27944,27944,Hertford,Hertford,Perquimans County,Hertford,401,402,101,199,100,198,O,E,Y,N,Main,Street',
      'US,US,NC,NC,27944,27944,Hertford,Hertford,Hertford,Hertford,401,402,0,0,0,0,Z,Z,Y,,Ghost,Street',
      'US,US,NC,NC,27944,27944,Hertford,Hertford,Hertford,Hertford,401,402,1,9,0,0,O,Z,N,,Closed,Street',
    ),
    {},
    ['US|NC|27944|HERTFORD|N MAIN ST|[[100,198,2]]|402', 'US|NC|27944|PERQUIMANS COUNTY|N MAIN ST|[[101,199,1]]|401'],
    { 'no house number': 1, 'marked as not in use': 1 },
  ],
  [
    'NENA road center lines whose even side begins at 0, in either direction',
    'nena-rcl-csv',
    CSV(
      'STATE_L,STATE_R,ZIP_L,ZIP_R,MSAGCO_L,MSAGCO_R,L_F_ADD,L_T_ADD,R_F_ADD,R_T_ADD,PARITY_L,PARITY_R,RD,STS',
      'NC,NC,27944,27944,Hertford,Hertford,0,1698,1,1699,E,O,Bay,ST',
      'NC,NC,27944,27944,Hertford,Hertford,98,0,0,99,E,O,Elm,ST',
      'NC,NC,27944,27944,Hertford,Hertford,0.0,0.0,1,99,E,O,Oak,ST',
    ),
    {},
    [
      'US|NC|27944|HERTFORD|BAY ST|[[0,1698,2],[1,1699,1]]|',
      'US|NC|27944|HERTFORD|ELM ST|[[0,98,2],[0,99,1]]|',
      'US|NC|27944|HERTFORD|OAK ST|[[1,99,1]]|',
    ],
    {},
  ],
  [
    'a guide whose even side begins at 0, and a single number',
    'msag-csv',
    CSV(
      'DIR,STREET,COMMUNITY,ESN,LOW,HIGH,O/E',
      'N,MAIN ST,HERTFORD,401,0,98,E',
      ',OAK ST,HERTFORD,401,12,0,E',
      ',ELM ST,HERTFORD,401,,98,E',
    ),
    { state: 'NC' },
    ['US|NC||HERTFORD|N MAIN ST|[[0,98,2]]|401', 'US|NC||HERTFORD|OAK ST|[[12,12,2]]|401'],
    { 'only one end of a range': 1 },
  ],
  [
    'NENA road center lines with the older names of columns',
    'nena-rcl-csv',
    CSV('STATE_L,ZIP_L,MSAGCO_L,L_F_ADD,L_T_ADD,PARITY_L,PRD,RD,STS', 'NC,27944,Hertford,101,199,O,N,Main,ST'),
    {},
    ['US|NC|27944|HERTFORD|N MAIN ST|[[101,199,1]]|'],
    {},
  ],
  [
    'NENA site address points',
    'nena-ssap-csv',
    CSV(
      'Country,State,Post_Code,Post_Comm,MSAGComm,ESN,Add_Number,AddNum_Suf,St_Name,St_PosTyp',
      'US,NC,27944,Hertford,Snug Harbor,401,12,1/2,Bay,St',
    ),
    {},
    ['US|NC|27944|SNUG HARBOR|BAY ST|["12 1/2"]|401'],
    {},
  ],
  [
    'plain lines',
    'lines',
    '12 1/2 OAK ST\n105 B ELM CRES UNIT 4\n7 B ST\n3 N MAIN ST\nnothing\n',
    { country: 'CA', state: 'MB', city: 'Winnipeg' },
    [
      'CA|MB||WINNIPEG|B ST|[7]|',
      'CA|MB||WINNIPEG|ELM CRES|["105B"]|',
      'CA|MB||WINNIPEG|N MAIN ST|[3]|',
      'CA|MB||WINNIPEG|OAK ST|["12 1/2"]|',
    ],
    { 'not a record': 1 },
  ],
]

describe('the streets of', () => {
  for (const [what, format, file, options, streets, skipped] of FORMATS) {
    test(what, async (t) => {
      const { pool } = await testDatabase(t)
      const { dataset } = await importText(pool, format, file, options)
      assert.deepEqual((await stored(pool)).toSorted(), streets.toSorted())
      assert.deepEqual(dataset.skipped, skipped)
      assert.equal(dataset.streets, streets.length)
      assert.equal(dataset.status, 'active')
    })
  }
})
