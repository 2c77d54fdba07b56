import { head, type Target } from './raw.ts'

/** Requests with ambiguous ends or hosts, which can smuggle other requests past a proxy. */
export interface Shape {
  name: string
  bytes: Buffer
  /** Statuses of all responses until the server closes the connection. Bytes after an ambiguous request get no response. */
  statuses: readonly number[]
}

/** The shapes, each followed by a request that must get no response if the end of the first is ambiguous. */
export function shapes(target: Pick<Target, 'authorization'>): Shape[] {
  const writing = writingOf(target)
  return [...lengths(writing), ...lines(writing), ...bodies(writing)]
}

type Writing = ReturnType<typeof writingOf>

function writingOf({ authorization }: Pick<Target, 'authorization'>) {
  const fields = ['Host: demarc.test', `Authorization: ${authorization}`]
  const last = head('GET /v2/whoami HTTP/1.1', [...fields, 'Connection: close'])
  const get = (more: readonly string[], end?: string) => head('GET /v2/whoami HTTP/1.1', [...fields, ...more], end)
  const post = (more: readonly string[], body: string) =>
    head('POST /v2/cnams HTTP/1.1', [...fields, 'Content-Type: application/json', ...more]) + body
  const chunked = (body: string) => post(['Transfer-Encoding: chunked'], body)
  const shape = (name: string, text: string, statuses: readonly number[] = [400]): Shape => ({
    name,
    bytes: Buffer.from(text + last, 'latin1'),
    statuses,
  })
  const smuggled = head('GET /v2/numbers HTTP/1.1', fields)
  return { fields, get, post, chunked, shape, smuggled, end: `0\r\n\r\n${smuggled}` }
}

const lengths = ({ post, chunked, shape, smuggled, end }: Writing): Shape[] => [
  shape('Content-Length and Transfer-Encoding', post(['Content-Length: 4', 'Transfer-Encoding: chunked'], end)),
  shape('Transfer-Encoding and Content-Length', post(['Transfer-Encoding: chunked', 'Content-Length: 4'], end)),
  shape('two Transfer-Encodings', post(['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], end)),
  shape(
    'two Transfer-Encodings that agree',
    post(['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], '0\r\n\r\n'),
  ),
  shape('Transfer-Encoding: chunked, identity', post(['Transfer-Encoding: chunked, identity'], end)),
  shape('Transfer-Encoding: xchunked', post(['Transfer-Encoding: xchunked'], end)),
  shape('Transfer-Encoding: gzip, chunked', post(['Transfer-Encoding: gzip, chunked'], end)),
  shape('Transfer-Encoding with a space before its colon', post(['Transfer-Encoding : chunked'], end)),
  shape('Transfer-Encoding in HTTP/1.0', chunked(end).replace('HTTP/1.1', 'HTTP/1.0')),
  shape('two Content-Lengths', post(['Content-Length: 2', 'Content-Length: 60'], `{}${smuggled}`)),
  shape('two Content-Lengths in one', post(['Content-Length: 2, 60'], `{}${smuggled}`)),
  ...['-1', '+2', '0x2', '2 2', '2;', '\u0662', '99999999999999999999'].map((length) =>
    shape(`Content-Length: ${length}`, post([`Content-Length: ${length}`], `{}${smuggled}`)),
  ),
]

const lines = ({ fields, get, post, shape, smuggled, end }: Writing): Shape[] => [
  shape('a folded header', post(['X-A: b', ' Content-Length: 2'], `{}${smuggled}`)),
  shape('a folded Transfer-Encoding', post(['Transfer-Encoding:', ' chunked'], end)),
  shape('lines that end in LF alone', get([], '\n')),
  shape('one line that ends in LF alone', get(['X-A: b\nX-C: d'])),
  shape('a CR within a line', get(['X-A: b\rContent-Length: 50'])),
  shape('a NUL within a line', get(['X-A: b\0c'])),
  shape('a header without a name', get([': b'])),
  shape('two Hosts', get(['Host: evil.example'])),
  shape('no Host', head('GET /v2/whoami HTTP/1.1', fields.slice(1))),
  shape('HTTP/2.0 in the request line', head('GET /v2/whoami HTTP/2.0', fields)),
]

const bodies = ({ fields, get, post, chunked, shape, smuggled }: Writing): Shape[] => [
  shape('bytes behind a body that was said to be none', post(['Content-Length: 0'], '{}'), [422, 400]),
  shape('a negative chunk', chunked(`-1\r\n{}\r\n0\r\n\r\n${smuggled}`)),
  shape('a chunk beyond 64 bits', chunked(`FFFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n${smuggled}`)),
  shape('a chunk of 0x2', chunked(`0x2\r\n{}\r\n0\r\n\r\n${smuggled}`)),
  shape('a chunk longer than its bytes', chunked(`1\r\n{}\r\n0\r\n\r\n${smuggled}`)),
  shape('a chunk size that ends in LF alone', chunked(`2\n{}\r\n0\r\n\r\n${smuggled}`)),
  shape('a chunk extension of 64 KiB', chunked(`2;a=${'b'.repeat(65_536)}\r\n{}\r\n0\r\n\r\n`)),
  shape('64 KiB of trailers', chunked(`2\r\n{}\r\n0\r\nX-A: ${'b'.repeat(65_536)}\r\n\r\n`), [431]),
  shape('a short chunk extension', chunked('2;a=b\r\n{}\r\n0\r\n\r\n'), [422, 200]),
  shape('a trailer that says Content-Length', chunked('2\r\n{}\r\n0\r\nContent-Length: 50\r\n\r\n')),
  shape('a request as the body of a GET', get([`Content-Length: ${smuggled.length}`]) + smuggled, [200, 200]),
  shape('another host in the request line', head('GET http://evil.example/v2/numbers HTTP/1.1', fields), [200, 200]),
  shape('Connection: Content-Length', post(['Connection: content-length, close', 'Content-Length: 2'], '{}'), [422]),
  shape(
    'an upgrade to h2c',
    get(['Connection: Upgrade, HTTP2-Settings, close', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__']),
    [200],
  ),
]
