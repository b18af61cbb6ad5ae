import { encodeLog, type EncodedLog } from './encodeLog.ts'
import { emptyBloom, encodeLogsBloom, fullBloom } from './logsBloom.ts'
import { createRandom, mixSeeds, type Random } from './random.ts'
import { multicallAddress, readContract } from './readContract.ts'
import { rangeRefusals, resultRefusals } from './refusals.ts'
import type { ChainView, SimulatedBlock, SimulatedChain } from './simulatedChain.ts'
import { isLogged, type TrueEvent } from './trueRecords.ts'

/** The character of an endpoint. It may change from one request to the next. Times are by the clock of the chain. */
export interface EndpointCharacter {
  /** The chain that it says it serves. */
  readonly chainId: number
  /** How far behind the chain it is; where `byTurns`, only every other request, as behind a load balancer. */
  readonly lagMs: number
  readonly byTurns: boolean
  /** How far its logs and state are behind its headers. */
  readonly logsLagMs: number
  /**
   * How long it answers for a block that it has with no logs at all, by range and by block hash. Its headers and its
   * state know the block meanwhile.
   */
  readonly logsLateMs: { readonly byRange: number; readonly byHash: number }
  /**
   * Time for which the receipt of the first transaction of a new block lacks its logs. By range and by block hash, the
   * block then has only the logs of its other transactions. Its bloom covers all logs.
   */
  readonly receiptLateMs: number
  /** How long the logs of a new block come with indexes in the reverse order. */
  readonly indexesLateMs: number
  /** Whether it says so when it is asked for logs beyond its head, rather than to answer what it has. */
  readonly refusesFuture: boolean
  readonly hasMulticall: boolean
  /** Whether it knows `eth_getCode`. */
  readonly knowsCode: boolean
  /** Whether logs carry their block's time. */
  readonly sendsTimestamps: boolean
  readonly logNumbering: LogNumbering | 'any'
  /** `wrong`: of three blocks one has the bloom of the block before, one an empty bloom, and one its own. */
  readonly bloom: 'true' | 'empty' | 'full' | 'wrong'
  /** The answer for a number without a block. All endpoints of a chain have such numbers, or none has. */
  readonly nullRounds: 'none' | 'refused' | 'null' | 'previous'
  /** The most blocks that a request for logs may span, and which of `rangeRefusals` it refuses with. */
  readonly logRange: { readonly max: number; readonly refusal: number } | null
  /** The most logs that an answer may hold, and which of `resultRefusals` it refuses with. */
  readonly results: { readonly max: number; readonly refusal: number } | null
  /** The most calls in a batch; 1: no batches. */
  readonly batchMax: number | null
  /** The most reads in one call before it is out of gas. */
  readonly readsMax: number | null
  /** Blocks behind its head of which it has logs still; it answers older ones with nothing. */
  readonly logBlocks: number | null
  /** Blocks behind its head of which it has the state still. */
  readonly stateBlocks: number | null
  readonly lie: EndpointLie | null
  /** The logs that it leaves out of its answers for ranges of blocks, without an error. */
  readonly leavesOut: EndpointOmission | null
  readonly latencyMs: { readonly min: number; readonly max: number }
  readonly faultChance: number
  /** Whether it takes subscriptions to new heads; what they tell has faults too. */
  readonly tellsHeads: boolean
  /** Nothing listens there. */
  readonly isDown: boolean
}

/**
 * `beyond`: all but the first or the last logs of an answer. `every`: each n-th log of an answer. `within`: all logs of
 * some blocks. `of`: the logs of a contract or with a topic. `byHash`: also of answers for a block by its hash.
 */
export type EndpointOmission = (
  | { readonly kind: 'beyond'; readonly max: number; readonly keeps: 'first' | 'last' }
  | { readonly kind: 'every'; readonly nth: number }
  | { readonly kind: 'within'; readonly fromBlock: number; readonly toBlock: number }
  | { readonly kind: 'of'; readonly value: string }
) & { readonly byHash?: boolean }

/** A lie of an endpoint: it omits logs or alters records, in an answer with probability `chance`. */
export interface EndpointLie {
  readonly kind: 'omitsLogs' | 'altersRecords'
  readonly chance: number
}

/**
 * The numbering of logs by an endpoint.
 * - `block`, `transaction`: within their block or transaction.
 * - `below0`: from below 0 on, in 32 bits.
 * - `carried`: on from the block before, with transactions that the endpoint does not show.
 * - `any`: another numbering in each answer, as from several nodes under one URL, or from a node that corrects itself.
 */
export type LogNumbering = (typeof logNumberings)[number]
export const logNumberings = ['block', 'transaction', 'below0', 'carried'] as const

/** An honest endpoint without limits. */
export const plainCharacter: Omit<EndpointCharacter, 'chainId'> = {
  lagMs: 0,
  byTurns: false,
  logsLagMs: 0,
  logsLateMs: { byRange: 0, byHash: 0 },
  receiptLateMs: 0,
  indexesLateMs: 0,
  refusesFuture: false,
  hasMulticall: true,
  knowsCode: true,
  sendsTimestamps: true,
  logNumbering: 'block',
  bloom: 'true',
  nullRounds: 'none',
  logRange: null,
  results: null,
  batchMax: null,
  readsMax: null,
  logBlocks: null,
  stateBlocks: null,
  lie: null,
  leavesOut: null,
  latencyMs: { min: 0, max: 0 },
  faultChance: 0,
  tellsHeads: false,
  isDown: false,
}

/** The outcome of an HTTP request. */
export type SimulatedReply =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
    }
  /** The connection breaks before, or in the middle of, an answer. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'truncated'; readonly body: string }
  | { readonly kind: 'hang' }
  | { readonly kind: 'refused' }

/** A notification of `eth_subscribe`, or that no more follow, with the end of the connection or without. */
export type ToldHead =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'lost' | 'silent' }

/** A JSON-RPC endpoint of a simulated chain, without the network. */
export interface SimulatedEndpoint {
  /** Answers the body of an HTTP request. */
  reply(body: string): SimulatedReply
  /** The current message of a subscription: the newest block, or a fault. */
  tell(): ToldHead
  tellsHeads(): boolean
  /** Milliseconds before its next reply. */
  latencyMs(): number
  /** Calls so far, by method; those of a batch count one by one. */
  readonly requests: ReadonlyMap<string, number>
  httpRequests(): number
}

interface RpcRequest {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

interface LogFilter {
  readonly fromBlock?: string
  readonly toBlock?: string
  readonly blockHash?: string
  readonly address?: string | readonly string[]
  readonly topics?: readonly (string | readonly string[])[]
}

type LogIndexes = Pick<TrueEvent, 'transactionIndex' | 'logIndex'>

class RpcFault extends Error {
  readonly code: number
  readonly data: string | undefined
  readonly status: number
  constructor(code: number, message: string, options: { data?: string; status?: number } = {}) {
    super(message)
    this.code = code
    this.data = options.data
    this.status = options.status ?? 200
  }
}

/** As Lotus says it. */
function nullRound(number: number): RpcFault {
  return new RpcFault(12, `requested epoch was a null round (${number})`, { data: String(number) })
}

function unknownMethod(method: string): RpcFault {
  return new RpcFault(-32_601, `the method ${method} does not exist`)
}

/** `character` is asked at every request; `random` decides on faults, latency and lies. */
export function createSimulatedEndpoint(
  chain: SimulatedChain,
  character: () => EndpointCharacter,
  random: Random,
): SimulatedEndpoint {
  // Of its own, so that subscriptions leave every other draw of a seed as it is.
  const telling = createRandom(mixSeeds(chain.seed, 0x7e11))
  const requests = new Map<string, number>()
  let httpRequests = 0

  function reply(body: string): SimulatedReply {
    httpRequests++
    const now = character()
    if (now.isDown) return { kind: 'refused' }
    const parsed = JSON.parse(body) as RpcRequest | RpcRequest[]
    const asked = Array.isArray(parsed) ? parsed : [parsed]
    if (random.chance(now.faultChance)) {
      const fault = drawFault(parsed)
      if (fault !== null) return fault
    }
    if (now.batchMax !== null && asked.length > now.batchMax) return refuseBatch(parsed, now.batchMax)
    // A load balancer sends each request to another node.
    const isLate = !now.byTurns || httpRequests % 2 === 0
    const views = {
      headers: chain.viewAgo(isLate ? now.lagMs : 0),
      state: chain.viewAgo((isLate ? now.lagMs : 0) + now.logsLagMs),
    }
    let status = 200
    const answers = asked.map((request) => {
      requests.set(request.method, (requests.get(request.method) ?? 0) + 1)
      try {
        return { jsonrpc: '2.0', id: request.id, result: call(request, views, now) }
      } catch (error) {
        if (!(error instanceof RpcFault)) throw error
        status = Math.max(status, error.status)
        const { code, message, data } = error
        return {
          jsonrpc: '2.0',
          id: request.id,
          error: { code, message, ...(data === undefined ? {} : { data }) },
        }
      }
    })
    const text = JSON.stringify(Array.isArray(parsed) ? answers : answers[0])
    return json(text, Array.isArray(parsed) ? 200 : status)
  }

  function tell(): ToldHead {
    const now = character()
    const view = chain.viewAgo(now.lagMs)
    const block = blockJson(view, lastMined(view, view.head, now), now)
    if (now.isDown) return { kind: 'lost' }
    if (!telling.chance(now.faultChance / 10)) return { kind: 'result', result: block }
    const other = {
      number: quantity(view.head + telling.pick([0, 1, 1_000_000])),
      hash: `0x${telling.digits(32)}`,
    }
    return telling.pick<ToldHead>([
      { kind: 'lost' },
      { kind: 'silent' },
      { kind: 'result', result: telling.pick<unknown>([null, {}, 'none', { number: 7 }]) },
      { kind: 'result', result: other },
    ])
  }

  /** A fault of the endpoint as a whole; null if it leaves the answer as it is. */
  function drawFault(parsed: RpcRequest | RpcRequest[]): SimulatedReply | null {
    const isBatch = Array.isArray(parsed)
    const asked = isBatch ? parsed : [parsed]
    const first = asked[0]
    const wholeError = (code: number, message: string): SimulatedReply =>
      json(JSON.stringify({ jsonrpc: '2.0', id: isBatch ? null : first?.id, error: { code, message } }))
    const each = (make: (request: RpcRequest) => unknown): SimulatedReply =>
      json(JSON.stringify(isBatch ? asked.map(make) : make(asked[0] as RpcRequest)))
    const result = (value: unknown) => each(({ id }) => ({ jsonrpc: '2.0', id, result: value }))
    switch (random.integer(0, 18)) {
      case 0:
        return page(502)
      case 1:
        return page(503)
      case 2:
        return page(429, { 'retry-after': String(random.integer(0, 3)) })
      case 3:
        return page(429, { 'retry-after': new Date(1_000 * random.integer(0, 4_000_000_000)).toUTCString() })
      case 4:
        return { kind: 'reset' }
      case 5:
        return { kind: 'hang' }
      case 6:
        return { kind: 'truncated', body: '{"jsonrpc":"2.0","id":1,"result":' }
      case 7:
        return json('{"jsonrpc":"2.0","id":')
      case 8:
        return page(200)
      case 9:
        return json('')
      case 10:
        return wholeError(
          -32_000,
          random.pick(['internal error', 'no backend is currently healthy', 'header not found']),
        )
      case 11:
        return wholeError(
          -32_005,
          random.pick(['limit exceeded', 'daily request count exceeded, request rate limited']),
        )
      case 12:
        return wholeError(429, 'Too Many Requests')
      case 13:
        return wholeError(-32_603, 'Internal error')
      case 14:
        return first?.method.startsWith('eth_getBlock') === true ? result(null) : null
      case 15:
        return each(({ id }) => ({ jsonrpc: '2.0', id: Number(id) + 1_000_000, result: '0x1' }))
      case 16:
        return each(({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32_000, message: 'server is busy' } }))
      case 17:
        return first?.method === 'eth_getLogs' ? result([null]) : result(random.pick([{}, [], 7, 'none']))
      default:
        return isBatch ? json(JSON.stringify([])) : null
    }
  }

  function refuseBatch(parsed: RpcRequest | RpcRequest[], max: number): SimulatedReply {
    const message = max === 1 ? 'batch requests are not supported' : `batch limit ${max} exceeded`
    const error = { jsonrpc: '2.0', id: null, error: { code: -32_600, message } }
    return json(JSON.stringify(Array.isArray(parsed) && random.chance(0.5) ? [error] : error))
  }

  function call(
    { method, params }: RpcRequest,
    views: { readonly headers: ChainView; readonly state: ChainView },
    now: EndpointCharacter,
  ): unknown {
    switch (method) {
      case 'eth_chainId':
        return quantity(now.chainId)
      case 'eth_blockNumber':
        return quantity(lastMined(views.headers, views.headers.head, now))
      case 'eth_getBlockByNumber': {
        const { head } = views.headers
        const isLatest = params[0] === 'latest'
        const asked = isLatest ? head : Number(params[0])
        const number = lastMined(views.headers, asked, now)
        if (number !== asked && !isLatest && now.nullRounds === 'null') return null
        if (number !== asked && !isLatest && now.nullRounds === 'refused') throw nullRound(asked)
        if (asked > head && now.nullRounds === 'refused') {
          throw new RpcFault(1, "requested a future epoch (beyond 'latest')")
        }
        return blockJson(views.headers, number, now, params[1] === true)
      }
      case 'eth_getBlockByHash': {
        const number = chain.numberOf(views.headers, String(params[0]))
        return number === null ? null : blockJson(views.headers, number, now, params[1] === true)
      }
      case 'eth_getCode':
        if (!now.knowsCode) throw unknownMethod(method)
        return getCode(String(params[0]).toLowerCase(), now)
      case 'eth_subscribe':
        return '0x1'
      case 'eth_getLogs':
        return getLogs(params[0] as LogFilter, views.state, now)
      case 'eth_call':
        return ethCall(
          params[0] as { to: string; data?: string; input?: string },
          params[1],
          views.state,
          now,
        )
      case 'eth_getTransactionByHash': {
        const from = chain.senderOf(views.state, String(params[0]))
        return from === null ? null : { hash: params[0], from: `0x${from}` }
      }
      default:
        throw unknownMethod(method)
    }
  }

  function blockJson(
    view: ChainView,
    number: number,
    now: EndpointCharacter,
    withTransactions = false,
  ): unknown {
    const block = chain.block(view, number)
    if (block === null) return null
    return {
      number: quantity(number),
      hash: block.hash,
      parentHash: chain.block(view, lastMined(view, number - 1, now))?.hash ?? block.parentHash,
      timestamp: quantity(block.timestamp),
      logsBloom: bloomOf(view, number, now),
      ...(withTransactions ? { receiptsRoot: block.hash, transactions: transactionsOf(view, block) } : {}),
    }
  }

  /** The newest number with a block up to this one. */
  function lastMined(view: ChainView, upTo: number, now: EndpointCharacter): number {
    let number = upTo
    while (now.nullRounds !== 'none' && chain.isNullRound(view, number)) number--
    return number
  }

  /** The transactions of the events of a block, in their order. */
  function transactionsOf(view: ChainView, { number, hash: blockHash }: SimulatedBlock): unknown[] {
    const events = chain.events(view, number, number)
    return [...new Map(events.map((event) => [event.transactionHash, event]))].map(([hash, event]) => ({
      hash,
      transactionIndex: quantity(event.transactionIndex),
      blockNumber: quantity(number),
      blockHash,
      from: `0x${chain.senderOf(view, hash)}`,
      to: encodeLog(chain, event).address,
      type: '0x0',
      nonce: '0x0',
      value: '0x0',
      gas: '0x5208',
      gasPrice: '0x1',
      input: '0x',
    }))
  }

  function bloomOf(view: ChainView, number: number, now: EndpointCharacter): string {
    if (now.bloom === 'full') return fullBloom
    if (now.bloom === 'empty' || (now.bloom === 'wrong' && number % 3 === 1)) return emptyBloom
    const of = now.bloom === 'wrong' && number % 3 === 2 ? number - 1 : number
    const events = chain.events(view, of, of).filter(isLogged)
    return encodeLogsBloom(events.map((event) => encodeLog(chain, event)))
  }

  function getCode(address: string, now: EndpointCharacter): string {
    const isContract = Object.values(chain.contracts).includes(address)
    return isContract || (address === multicallAddress && now.hasMulticall) ? '0x60' : '0x'
  }

  function getLogs(filter: LogFilter, view: ChainView, now: EndpointCharacter): unknown[] {
    const { fromBlock, toBlock } = logRange(filter, view, now)
    const isOne = fromBlock === toBlock
    if (isOne && now.nullRounds === 'refused' && chain.isNullRound(view, toBlock)) throw nullRound(toBlock)
    const addresses = new Set([filter.address ?? []].flat().map((address) => address.toLowerCase()))
    const topics = new Set([filter.topics?.[0] ?? []].flat())
    const found: unknown[] = []
    const numbering = now.logNumbering === 'any' ? random.pick(logNumberings) : now.logNumbering
    const omitted =
      now.lie?.kind === 'omitsLogs' && random.chance(now.lie.chance) ? random.integer(0, 3) : null
    let block: { hash: string; timestamp: number; number: number } | null = null
    const { byRange, byHash } = now.logsLateMs
    const isLate = isYoungerThan(filter.blockHash === undefined ? byRange : byHash, view)
    const lacksReceipt = isYoungerThan(now.receiptLateMs, view)
    const isUnsettled = isYoungerThan(now.indexesLateMs, view)
    const bare = new Map<number, string>()
    for (const event of chain.events(view, fromBlock, toBlock).filter(isLogged)) {
      if (isLate(event.block)) continue
      if (!bare.has(event.block)) bare.set(event.block, event.transactionHash)
      if (bare.get(event.block) === event.transactionHash && lacksReceipt(event.block)) continue
      const log = encodeLog(chain, event)
      if (addresses.size > 0 && !addresses.has(log.address)) continue
      if (topics.size > 0 && !topics.has(log.topics[0] ?? '')) continue
      if (block?.number !== event.block) block = chain.block(view, event.block)
      if (omitted !== null && found.length % 4 === omitted && random.chance(0.5)) continue
      const indexes = indexesOf(view, event, numbering)
      const given = isUnsettled(event.block) ? reversed(indexes) : indexes
      found.push(logJson(event, log, block?.hash ?? '', now, given))
    }
    const { results } = now
    if (results !== null && found.length > results.max && toBlock > fromBlock) {
      const refused = resultRefusals[results.refusal]?.({ fromBlock, toBlock, limit: results.max })
      throw new RpcFault(refused?.code ?? -32_000, refused?.message ?? 'too many logs')
    }
    const isCut = filter.blockHash === undefined || now.leavesOut?.byHash === true
    return isCut ? withoutOmitted(found, now.leavesOut) : found
  }

  function withoutOmitted(logs: readonly unknown[], omission: EndpointOmission | null): unknown[] {
    switch (omission?.kind) {
      case undefined:
        return [...logs]
      case 'beyond':
        return omission.keeps === 'first' ? logs.slice(0, omission.max) : logs.slice(-omission.max)
      case 'every':
        return logs.filter((_, index) => index % omission.nth !== omission.nth - 1)
      case 'within': {
        const { fromBlock, toBlock } = omission
        return logs.filter((log) => {
          const number = Number((log as { blockNumber: string }).blockNumber)
          return number < fromBlock || number > toBlock
        })
      }
      case 'of':
        return logs.filter((log) => !JSON.stringify(log).includes(omission.value))
    }
  }

  /** Whether a block of the view became part of the chain less than so long ago. */
  function isYoungerThan(ageMs: number, view: ChainView): (number: number) => boolean {
    if (ageMs === 0) return () => false
    const before = chain.viewAgo(ageMs)
    return (number) => chain.block(before, number)?.hash !== chain.block(view, number)?.hash
  }

  function logRange(filter: LogFilter, view: ChainView, now: EndpointCharacter) {
    if (filter.blockHash !== undefined) {
      const number = chain.numberOf(view, filter.blockHash)
      if (number === null) throw new RpcFault(-32_000, 'unknown block')
      return { fromBlock: number, toBlock: number }
    }
    const fromBlock = Number(filter.fromBlock)
    const askedTo = Number(filter.toBlock)
    const limit = now.logRange?.max
    if (now.logRange !== null && limit !== undefined && askedTo - fromBlock + 1 > limit) {
      const refused = rangeRefusals[now.logRange.refusal]?.({ fromBlock, toBlock: askedTo, limit })
      const options = refused?.status === undefined ? {} : { status: refused.status }
      throw new RpcFault(refused?.code ?? -32_000, refused?.message ?? 'no', options)
    }
    if (askedTo > view.head && now.refusesFuture) {
      throw new RpcFault(-32_602, 'block range extends beyond current head block')
    }
    const oldest = now.logBlocks === null ? 0 : view.head - now.logBlocks + 1
    return { fromBlock: Math.max(fromBlock, oldest), toBlock: Math.min(askedTo, view.head) }
  }

  function reversed({ transactionIndex, logIndex }: LogIndexes): LogIndexes {
    return { transactionIndex: 5_000 - transactionIndex, logIndex: 5_000 - (logIndex | 0) }
  }

  function indexesOf(view: ChainView, event: TrueEvent, numbering: LogNumbering): LogIndexes {
    const { block, transactionHash, transactionIndex, logIndex } = event
    switch (numbering) {
      case 'block':
        return { transactionIndex, logIndex }
      case 'transaction': {
        const of = chain.events(view, block, block).filter((each) => each.transactionHash === transactionHash)
        return { transactionIndex, logIndex: logIndex - Math.min(...of.map((each) => each.logIndex)) }
      }
      case 'below0':
        return { transactionIndex, logIndex: (logIndex - 4) >>> 0 }
      case 'carried':
        return { transactionIndex: transactionIndex + 2, logIndex: logIndex + 700 }
    }
  }

  function logJson(
    event: TrueEvent,
    log: EncodedLog,
    blockHash: string,
    now: EndpointCharacter,
    { transactionIndex, logIndex }: LogIndexes,
  ): unknown {
    return {
      address: log.address,
      topics: log.topics,
      data: log.data,
      blockNumber: quantity(event.block),
      blockHash,
      ...(now.sendsTimestamps ? { blockTimestamp: quantity(event.timestamp) } : {}),
      transactionHash: event.transactionHash,
      transactionIndex: quantity(transactionIndex),
      logIndex: quantity(logIndex),
      removed: false,
    }
  }

  function ethCall(
    request: { to: string; data?: string; input?: string },
    tag: unknown,
    view: ChainView,
    now: EndpointCharacter,
  ): string {
    const atBlock = stateBlock(tag, view, now)
    const calldata = (request.data ?? request.input ?? '0x').slice(2)
    const reads = calldata.length / 2 / 160
    if (now.readsMax !== null && reads > now.readsMax) throw new RpcFault(-32_000, 'out of gas')
    const lies = now.lie?.kind === 'altersRecords' && random.chance(now.lie.chance)
    const to = request.to.toLowerCase()
    const { success, data } = readContract(chain, view, atBlock, to, calldata, now.hasMulticall)
    if (!success) throw new RpcFault(3, 'execution reverted', { data: `0x${data}` })
    // A digit of an address or of a payload in the middle.
    const at = Math.floor(data.length / 128) * 64 + 63
    const altered = data[at] === '1' ? '2' : '1'
    return `0x${lies && data.length > 64 ? data.slice(0, at) + altered + data.slice(at + 1) : data}`
  }

  function stateBlock(tag: unknown, view: ChainView, now: EndpointCharacter): number {
    const number = numberOfTag(tag, view)
    if (number === null || number > view.head) throw new RpcFault(-32_000, 'header not found')
    if (now.stateBlocks !== null && number <= view.head - now.stateBlocks) {
      throw new RpcFault(-32_000, `missing trie node ${'ab'.repeat(16)} (path )`)
    }
    return number
  }

  function numberOfTag(tag: unknown, view: ChainView): number | null {
    if (tag === 'latest' || tag === undefined) return view.head
    if (typeof tag === 'string') return Number(tag)
    return chain.numberOf(view, (tag as { blockHash: string }).blockHash)
  }

  return {
    reply,
    tell,
    tellsHeads: () => character().tellsHeads,
    requests,
    httpRequests: () => httpRequests,
    latencyMs: () => {
      const { min, max } = character().latencyMs
      return max === 0 ? 0 : random.integer(min, max)
    },
  }
}

function json(body: string, status = 200): SimulatedReply {
  return { kind: 'answer', status, headers: { 'content-type': 'application/json' }, body }
}

function page(status: number, headers: Readonly<Record<string, string>> = {}): SimulatedReply {
  return {
    kind: 'answer',
    status,
    headers: { 'content-type': 'text/html', ...headers },
    body: '<html>no</html>',
  }
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`
}
