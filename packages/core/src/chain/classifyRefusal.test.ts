import { describe, expect, test } from 'vitest'
import { classifyRefusal, type RefusedRequest } from './classifyRefusal.ts'

const structural = (suggestedBlocks: number) => ({ kind: 'rangeTooWide', structural: true, suggestedBlocks })
const passing = (suggestedBlocks: number | null = null) => ({
  kind: 'rangeTooWide',
  structural: false,
  suggestedBlocks,
})

/** A refused request for the logs of 20,000 blocks. */
const logs: RefusedRequest = {
  method: 'eth_getLogs',
  blockCount: 20_000,
  batchSize: 1,
  httpStatus: 200,
  code: -32000,
  message: '',
  data: '',
}
const call: RefusedRequest = { ...logs, method: 'eth_call', blockCount: 1 }

describe('a refused range of logs', () => {
  const table: [message: string, expected: object, rest?: Partial<RefusedRequest>][] = [
    ['requested too many blocks from 0 to 16777216, maximum is set to 2048', structural(2048)],
    ['Max range: 3500', structural(3500)],
    ['Maximum allowed number of requested blocks is 3500', structural(3500)],
    ['eth_getLogs is limited to a 10000 range', structural(10_000)],
    ['eth_getLogs is limited to a 1000 blocks range', structural(1000)],
    ['eth_getLogs and eth_newFilter are limited to a 10,000 blocks range', structural(10_000)],
    ['limited to 2000 block', structural(2000)],
    ['You can make eth_getLogs requests with up to a 500 block range.', structural(500)],
    [
      'You can make eth_getLogs requests with up to a 500 block range. Based on your parameters, this block range should work: [0x123c9b2, 0x123cba5]',
      structural(500),
      { code: -32600 },
    ],
    ['up to a 500 block range', structural(500)],
    ['this block range should work: [0x123c9b2, 0x123cba5]', passing(500)],
    ['exceeds the range allowed for your plan (49999 > 2000)', structural(2000)],
    ['max is 10k blocks', structural(10_000)],
    ['retry with the range 6000000-6000509', passing(510)],
    ['the range 1 - 50000 exceeds the range allowed for your plan (49999 > 2000).', structural(2000)],
    [
      'Invalid params',
      structural(2000),
      { data: '{"range":"the range 1 - 2 exceeds the range allowed for your plan (49999 > 2000)."}' },
    ],
    ['please limit the query to at most 1000 blocks', structural(1000)],
    ['exceed maximum block range: 5000', structural(5000)],
    ['query exceeds max block range 1000', structural(1000)],
    ['block range greater than 10000 max', structural(10_000)],
    ['block range is too wide (maximum 1024)', structural(1024)],
    ['block range too large, max is 10k blocks', structural(10_000)],
    ['block range too large (2000), maximum allowed is 1000 blocks', structural(1000)],
    ['range 1000000 exceeds limit of 10000', structural(10_000), { code: -32602 }],
    ['ranges over 10000 blocks are not supported on freetier', structural(10_000)],
    ['Block range limit exceeded. Please use a range of at most 10_000 blocks.', structural(10_000)],
    ['Block range limit exceeded.', passing()],
    ['block range is too wide', passing()],
    ['block range too high', passing()],
    ['query returned more than 10000 results', passing(), { code: -32005 }],
    [
      'query returned more than 10000 results. Try with this block range [0xBDE5F8, 0xBDE6F7].',
      passing(256),
      { code: -32005 },
    ],
    ['Try with this block range [0x1, 0x64]', passing(100)],
    ['query exceeds max results 20000, retry with the range 6000000-6000509', passing(510)],
    ['logs matched by query exceeds limit of 10000', passing()],
    [
      'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [0x0, 0x3e7]',
      passing(1000),
      { code: -32602 },
    ],
    ['Log response size exceeded. Please reduce query block range.', passing()],
    ['backend response too large', passing()],
    ['response size should not greater than 10000000 bytes', passing()],
    ['too many logs', passing()],
    ['query exceeds max results', passing()],
    ['query exceeds max block range 1000', structural(1000), { code: 429 }],
    ['query returned more than 10000 results', passing(), { code: 429 }],
    ['query exceeds max block range 1000', { kind: 'rateLimited' }, { httpStatus: 429 }],
    ['no backend is currently healthy to serve traffic', { kind: 'unhealthy' }, { code: -32011 }],
    [
      'no backend is currently healthy to serve traffic',
      { kind: 'unhealthy' },
      { code: -32011, blockCount: 1 },
    ],
    ['query timeout exceeded', passing()],
    ['limit exceeded', passing(), { code: -32005 }],
    ['something that nobody has ever said', passing()],
    ['', passing(), { httpStatus: 413, code: null }],
    ['Try with this block range [0x1, 0xffffff]', passing(), {}],
    ['exceed maximum block range: 20000', passing(), {}],
    ['block range extends beyond current head block', { kind: 'unhealthy' }, { code: -32602 }],
    ['invalid block range params', { kind: 'unhealthy' }],
    [
      'BlockOutOfRangeError: block height is 18 but requested was 152',
      { kind: 'unhealthy' },
      { code: -32602 },
    ],
    ['Resource not found', { kind: 'unhealthy' }, { code: -32001 }],
    ['requested to block 9 after last accepted block 8', { kind: 'unhealthy' }],
    ['the method eth_getLogs does not exist', { kind: 'refused' }, { code: -32601 }],
    ['', { kind: 'refused' }, { httpStatus: 401, code: null }],
    ['', { kind: 'unhealthy' }, { httpStatus: 503, code: null }],
    ['query returned more than 10000 results', { kind: 'tooHeavy' }, { blockCount: 1, code: -32005 }],
    ['something that nobody has ever said', { kind: 'refused' }, { blockCount: 1 }],
  ]
  test.each(table)('%j', (message, expected, rest = {}) => {
    expect(classifyRefusal({ ...logs, message, ...rest })).toEqual(expected)
  })
})

describe('one and the same code', () => {
  test.each([-32005, -32000, -32602, 429])('%i means what the words and the request say', (code) => {
    const meaning = (message: string, of = logs) => classifyRefusal({ ...of, code, message })
    expect(meaning('exceed maximum block range: 5000')).toEqual(structural(5000))
    expect(meaning('query returned more than 10000 results')).toEqual(passing())
    expect(meaning('daily request count exceeded, request rate limited')).toEqual({ kind: 'rateLimited' })
    expect(meaning('Too Many Requests', call)).toEqual({ kind: 'rateLimited' })
  })
})

describe('requests that come too fast', () => {
  const table: [message: string, rest?: Partial<RefusedRequest>][] = [
    ['', { httpStatus: 429, code: null }],
    ['whatever', { code: 429 }],
    ['Your app has exceeded its compute units per second capacity.', { code: -32000 }],
    ['daily request count exceeded, request rate limited', { code: -32005 }],
    ['limit exceeded', { code: -32005 }],
    ['credits limited to 6000/sec', { code: -32012 }],
    ['50/second request limit reached - reduce calls per second', { code: -32007 }],
    ['Too Many Requests'],
    ['Monthly quota exceeded'],
  ]
  test.each(table)('%j', (message, rest = {}) => {
    expect(classifyRefusal({ ...call, message, ...rest })).toEqual({ kind: 'rateLimited' })
  })

  test('are recognised in requests for logs, too', () => {
    const message = 'Your app has exceeded its compute units per second capacity.'
    expect(classifyRefusal({ ...logs, message, code: 429 })).toEqual({ kind: 'rateLimited' })
    expect(
      classifyRefusal({ ...logs, message: 'daily request count exceeded, request rate limited' }),
    ).toEqual({
      kind: 'rateLimited',
    })
  })
})

describe('batches that are too large', () => {
  const table: [message: string, suggestedSize: number | null][] = [
    ['batch limit 100 exceeded: 142 requests given', 100],
    ['batch limit 100 exceeded (can increase by --rpc.batch.limit). Requested batch of size: 142', 100],
    ['batch too large', null],
    ['Number of requests in batch exceeds --rpc-max-batch-size.', null],
    ['Batch of more than 3 requests are not allowed on free tier', 3],
    ['maximum batch size is 50', 50],
    ['You cannot make batch requests with more than 20 items', 20],
    ['batch requests are not supported', 1],
    ['Batching is disabled', 1],
  ]
  test.each(table)('%j', (message, suggestedSize) => {
    expect(classifyRefusal({ ...call, batchSize: 142, message })).toEqual({
      kind: 'batchTooLarge',
      suggestedSize,
    })
  })

  test('are recognised by their status', () => {
    expect(classifyRefusal({ ...call, batchSize: 2, httpStatus: 413, code: null })).toEqual({
      kind: 'batchTooLarge',
      suggestedSize: null,
    })
  })

  test('differ from a single call whose answer is too large', () => {
    const refused = { ...call, code: -32003, message: 'response too large' }
    expect(classifyRefusal({ ...refused, batchSize: 9 }).kind).toBe('batchTooLarge')
    expect(classifyRefusal(refused).kind).toBe('tooHeavy')
  })
})

describe('other refusals', () => {
  const table: [message: string, kind: string, rest?: Partial<RefusedRequest>][] = [
    ['missing trie node 1234 (path )', 'unhealthy'],
    ['header not found', 'unhealthy'],
    ['header for hash not found', 'unhealthy'],
    ['unknown block', 'unhealthy'],
    ['Resource not found', 'unhealthy', { code: -32001 }],
    ['BlockOutOfRangeError: block height is 20 but requested was 3', 'unhealthy', { code: -32602 }],
    ['hash 0x12 is not currently canonical', 'unhealthy'],
    ['state 0x12 is not available', 'unhealthy'],
    ['pruned history unavailable', 'unhealthy', { code: 4444 }],
    ['Internal error', 'unhealthy', { code: -32603 }],
    ['', 'unhealthy', { httpStatus: 502, code: null }],
    ['Method eth_getCode not found', 'refused', { code: -32603 }],
    ['method eth_getCode is not whitelisted', 'refused', { code: -32603, httpStatus: 500 }],
    ['Unsupported method: eth_getCode', 'refused', { code: -32603 }],
    ['the method eth_getCode does not exist/is not available', 'refused', { code: -32603 }],
    ['out of gas', 'tooHeavy'],
    ['execution aborted (timeout = 5s)', 'tooHeavy'],
    ['response too large', 'tooHeavy'],
    [
      'invalid argument 1: json: cannot unmarshal object into Go value of type string',
      'refused',
      { code: -32602 },
    ],
    ['Must be authenticated!', 'refused', { httpStatus: 401 }],
    ['', 'refused', { httpStatus: 404, code: null }],
  ]
  test.each(table)('%j is %s', (message, kind, rest = {}) => {
    expect(classifyRefusal({ ...call, message, ...rest }).kind).toBe(kind)
  })
})
