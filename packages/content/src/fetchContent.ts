import { request, type Dispatcher } from 'undici'
import { encodeFileNode, fileBlockBytesMax } from '@attestry/core/model/contentId.ts'
import { sha256Hex, type ContentId, type ContentPointer } from '@attestry/core/model/contentPointer.ts'
import { keccak256 } from '@attestry/core/model/keccak.ts'
import { parseRetryAfter } from '@attestry/core/model/parseRetryAfter.ts'
import type { ContentState } from '@attestry/core/model/knownContent.ts'
import { PrivateAddressError } from './addressGuard.ts'
import { readTransaction, type DataCheck } from './arweaveTransaction.ts'
import type { HostPatience } from './hostPatience.ts'
import { readJson } from './readJson.ts'
import { findEntry, NoFileError, parseFileNode, type FileLink } from './unixFs.ts'

export interface FetchOptions {
  /** Base URLs, each tried until one has the content. */
  readonly ipfs: readonly string[]
  readonly arweave: readonly string[]
  /** Whether `https://` URLs are fetched. */
  readonly https: boolean
  /** Bytes of a body, and of a file in all its blocks. */
  readonly maxBytes: number
  /** Time of one gateway for one content. */
  readonly timeoutMs: number
  /** Connections to the gateways, which may stand in the operator's own network. */
  readonly gateways: Dispatcher
  /** Connections to `https://` URLs, and to wherever an answer redirects. */
  readonly others: Dispatcher
  readonly hosts: HostPatience
}

export interface FetchedContent {
  readonly state: Exclude<ContentState, 'pending'>
  readonly sentence: string
  readonly json: string | null
  /** Unverified content may be verified soon: a gateway failed where its transaction was asked for. */
  readonly isUnsure?: boolean
  /** Time to wait if every gateway asks for one, in milliseconds: the shortest. */
  readonly retryAfterMs?: number
}

/** A host that takes longer holds up the others as much as one that is away. */
const slowMs = 5_000

/** A gateway that does not give the content; the message is a part of a sentence. */
class Missing extends Error {
  /** Time that the gateway asks to wait, in milliseconds. */
  readonly retryAfterMs: number

  constructor(message: string, retryAfterMs = 0) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}
/** A gateway that says that it has not the content. */
class Absent extends Missing {}
/** Content that is not kept. */
class Refused extends Error {}
/** Bytes that are not those that the record names; the message is a part of a sentence. */
class Mismatch extends Error {
  constructor(message = 'has other bytes than the identifier names') {
    super(message)
  }
}

/** Asks one gateway after another. If all fail, returns the worst result: refused, then mismatch, then missing. */
export async function fetchContent(
  pointer: ContentPointer,
  options: FetchOptions,
  stop: AbortSignal,
): Promise<FetchedContent> {
  let worst: FetchedContent = {
    state: 'missing',
    sentence: 'This server does not fetch from there.',
    json: null,
  }
  const { isData, isSure } =
    // The transaction of a manifest says nothing of the file that the gateway finds by it.
    pointer.kind === 'arweave' && pointer.path === ''
      ? await findTransaction(pointer.id, options, stop)
      : { isData: null, isSure: true }
  let retryAfterMs = Infinity
  for (const base of basesOf(pointer, options)) {
    const place = URL.parse(base)?.host ?? base
    if (pointer.kind === 'https' && options.hosts.isResting(place)) {
      return { state: 'missing', sentence: `${place} did not answer several times.`, json: null }
    }
    const signal = AbortSignal.any([stop, AbortSignal.timeout(options.timeoutMs)])
    const begunMs = performance.now()
    const isSlow = () => performance.now() - begunMs > Math.min(slowMs, options.timeoutMs)
    try {
      const ask: Ask = { base, signal, options, left: options.maxBytes, blocksLeft: blocksMax }
      const bytes = await fetchBytes(ask, pointer)
      options.hosts.note(place, !isSlow())
      if (isData?.(bytes) === false) throw new Mismatch()
      const { keccak } = pointer
      if (keccak !== undefined && keccak !== `0x${Buffer.from(keccak256(bytes)).toString('hex')}`)
        throw new Mismatch('has bytes with another Keccak-256 hash than the record gives')
      const isVerified = pointer.kind === 'ipfs' || isData !== null || keccak !== undefined
      const read = readContent(bytes, isVerified, pointer.kind)
      if (isVerified) return read
      if (rank[read.state] >= rank[worst.state]) worst = read
    } catch (error) {
      if (stop.aborted) throw error
      options.hosts.note(place, hasAnswered(error) && !isSlow())
      const told = tell(error, place, signal)
      retryAfterMs = Math.min(retryAfterMs, error instanceof Missing ? error.retryAfterMs : 0)
      if (rank[told.state] >= rank[worst.state]) worst = told
    }
  }
  if (worst.state === 'missing' && retryAfterMs > 0 && retryAfterMs < Infinity)
    return { ...worst, retryAfterMs }
  return worst.state === 'unverified' && !isSure ? { ...worst, isUnsure: true } : worst
}

function readContent(bytes: Uint8Array, isVerified: boolean, kind: ContentPointer['kind']): FetchedContent {
  const read = readJson(bytes)
  if (read.kind === 'none')
    return { state: 'refused', sentence: `The content is not kept: ${read.reason}.`, json: null }
  if (isVerified) return { state: 'verified', sentence: '', json: read.json }
  return { state: 'unverified', sentence: kind === 'arweave' ? noTransaction : '', json: read.json }
}

const noTransaction =
  'No gateway has the transaction with this id and its signature; items of bundles have none of their own.'

function basesOf(pointer: ContentPointer, { ipfs, arweave, https }: FetchOptions): readonly string[] {
  switch (pointer.kind) {
    case 'ipfs':
      return ipfs
    case 'arweave':
      return arweave
    case 'https':
      return https ? [pointer.url] : []
  }
}

function fetchBytes(ask: Ask, pointer: ContentPointer): Promise<Uint8Array> {
  switch (pointer.kind) {
    case 'ipfs':
      return fetchFile(ask, pointer.cid, pointer.path)
    case 'arweave':
      return fetchBody(ask, pointer.path === '' ? pointer.id : `${pointer.id}/${pointer.path}`)
    case 'https':
      return fetchBody(ask, '', { isGateway: false })
  }
}

/** Whether a host answered, with whatever. */
function hasAnswered(error: unknown): boolean {
  return [Missing, Refused, Mismatch, NoFileError].some((kind) => error instanceof kind)
}

const rank: Readonly<Record<FetchedContent['state'], number>> = {
  missing: 0,
  mismatch: 1,
  refused: 2,
  unverified: 3,
  verified: 3,
}

function tell(error: unknown, place: string, signal: AbortSignal): FetchedContent {
  const message = error instanceof Error ? error.message : String(error)
  const json = null
  if (error instanceof Refused || error instanceof NoFileError) {
    return { state: 'refused', sentence: `The content is not kept: ${message}.`, json }
  }
  if (error instanceof Mismatch) {
    return { state: 'mismatch', sentence: `${place} ${message}.`, json }
  }
  if (error instanceof Missing) return { state: 'missing', sentence: `${place} ${message}.`, json }
  if (signal.aborted) return { state: 'missing', sentence: `${place} did not answer in time.`, json }
  const cause = error instanceof Error ? error.cause : null
  const guarded = [error, cause].find((each) => each instanceof PrivateAddressError)
  if (guarded !== undefined)
    return { state: 'missing', sentence: `${place} redirects: ${guarded.message}.`, json }
  return { state: 'missing', sentence: `${place} cannot be reached.`, json }
}

interface Ask {
  readonly base: string
  readonly signal: AbortSignal
  readonly options: FetchOptions
  /** Bytes that may still be read. */
  left: number
  /** Blocks of a file that may still be asked for: a block may be empty. */
  blocksLeft: number
}

/** Blocks of a file: those of the largest size in chunks of a few hundred bytes. */
const blocksMax = 1_024

/** Levels of blocks of a file: even small chunks of the largest size need two. */
const levelsMax = 4

/** The bytes of a file, each block of which has the hash by which it is named. */
async function fetchFile(ask: Ask, cid: ContentId, path: readonly string[]): Promise<Uint8Array> {
  if (path.length > 0) return await fetchEntry(ask, cid, path)
  const block = await fetchBody(ask, `${cid.text}?format=raw`, { accept: 'application/vnd.ipld.raw' })
  if (sha256Hex(block) !== cid.digest) {
    // A gateway that knows no blocks answers the file itself, which may be one block.
    const isFile = cid.codec === 'dag-pb' && block.length <= fileBlockBytesMax
    if (isFile && sha256Hex(encodeFileNode(block)) === cid.digest) return block
    throw new Mismatch()
  }
  return cid.codec === 'raw' ? block : await joinBlocks(ask, block, levelsMax)
}

/** Folders that a path leads through. */
const foldersMax = 16

/** The bytes of a file in a folder. Each block on the way has the hash by which its folder names it. */
async function fetchEntry(ask: Ask, folder: ContentId, path: readonly string[]): Promise<Uint8Array> {
  if (path.length > foldersMax) throw new Refused(`its path leads through more than ${foldersMax} folders`)
  let link: FileLink = folder
  let block = await fetchBlock(ask, link)
  for (const name of path) {
    const entry = link.codec === 'raw' ? null : findEntry(block, name)
    if (entry === null) throw new Refused(`its folder has no ${JSON.stringify(name)}`)
    link = entry
    block = await fetchBlock(ask, link)
  }
  return link.codec === 'raw' ? block : await joinBlocks(ask, block, levelsMax)
}

async function fetchBlock(ask: Ask, link: FileLink): Promise<Uint8Array> {
  ask.blocksLeft -= 1
  if (ask.blocksLeft < 0) throw new Refused(`it stands in more than ${blocksMax.toLocaleString('en')} blocks`)
  const block = await fetchBody(ask, `${identifierOf(link)}?format=raw`, {
    accept: 'application/vnd.ipld.raw',
  })
  if (sha256Hex(block) !== link.digest) throw new Mismatch()
  return block
}

async function joinBlocks(ask: Ask, node: Uint8Array, levels: number): Promise<Uint8Array> {
  if (levels === 0) throw new Refused(`its blocks stand in more than ${levelsMax} levels`)
  const { bytes, links } = parseFileNode(node)
  const parts = [bytes]
  for (const link of links) {
    const block = await fetchBlock(ask, link)
    parts.push(link.codec === 'raw' ? block : await joinBlocks(ask, block, levels - 1))
  }
  return Buffer.concat(parts)
}

/** The identifier of a block in base 16, which every gateway reads. */
function identifierOf({ codec, digest }: FileLink): string {
  return `f01${codec === 'raw' ? '55' : '70'}1220${digest}`
}

/** Bytes of a transaction without its data, which that of format 1 has in base 64. */
const transactionBytes = 65_536

/** The transaction of data from the first gateway that has it; another one may have the data. */
async function findTransaction(
  id: string,
  options: FetchOptions,
  stop: AbortSignal,
): Promise<{ readonly isData: DataCheck | null; readonly isSure: boolean }> {
  let isSure = true
  for (const base of options.arweave) {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(options.timeoutMs)])
    const left = transactionBytes + 2 * options.maxBytes
    const ask: Ask = { base, signal, options, left, blocksLeft: 0 }
    const body = await fetchBody(ask, `tx/${id}`).catch((error: unknown) => {
      isSure &&= error instanceof Absent
      return null
    })
    stop.throwIfAborted()
    const isData = body && readTransaction(body, id)
    if (isData !== null) return { isData, isSure: true }
  }
  return { isData: null, isSure }
}

/** Redirects that are followed: a gateway may lead to a host of its own for each content. */
const redirectsMax = 3

/** The body of a path below the base of a gateway, or of another URL. */
async function fetchBody(
  ask: Ask,
  path: string,
  { accept = 'application/json', isGateway = true } = {},
): Promise<Uint8Array> {
  let url = new URL(path, ask.base)
  const { origin } = url
  for (let redirects = 0; redirects <= redirectsMax; redirects++) {
    const { options, signal } = ask
    const dispatcher = isGateway && url.origin === origin ? options.gateways : options.others
    const headers = { accept, 'accept-encoding': 'identity', 'user-agent': 'attestry' }
    const { statusCode, headers: answered, body } = await request(url, { dispatcher, signal, headers })
    const { location } = answered
    if (statusCode >= 300 && statusCode < 400 && typeof location === 'string') {
      discard(body)
      const next = URL.parse(location, url)
      if (next === null || !/^https?:$/.test(next.protocol)) throw new Missing('redirects to no web address')
      url = next
      continue
    }
    if (statusCode !== 200) {
      discard(body)
      if (statusCode === 404 || statusCode === 410) throw new Absent('does not have it')
      throw new Missing(`answers ${statusCode}`, parseRetryAfter(answered['retry-after'], Date.now()) ?? 0)
    }
    if (answered['content-encoding'] !== undefined && answered['content-encoding'] !== 'identity') {
      discard(body)
      throw new Missing('answers compressed, which nobody asked for')
    }
    return await readBody(ask, body)
  }
  throw new Missing(`redirects more than ${redirectsMax} times`)
}

/** Leaves a body unread. */
function discard(body: Dispatcher.ResponseData['body']): void {
  body.on('error', () => undefined)
  body.destroy()
}

async function readBody(ask: Ask, body: Dispatcher.ResponseData['body']): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    ask.left -= chunk.length
    if (ask.left < 0) {
      discard(body)
      throw new Refused(`it is longer than ${ask.options.maxBytes} bytes`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
