import { ExportDamagedError, StoreInvariantError } from '@attestry/core/errors/storeErrors.ts'
import type { RememberedBlock } from '@attestry/core/model/chainState.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { positionBlock } from '@attestry/core/model/position.ts'
import {
  isBornRevoked,
  type ChainProgress,
  type IndexRestore,
  type StoredEvent,
} from '@attestry/core/index/indexRestore.ts'
import { formatCompositeId } from '@attestry/core/model/compositeId.ts'
import type { ProtocolName } from '@attestry/core/model/records.ts'
import { openExport } from './openExport.ts'
import type { ExportLine } from './parseExportLine.ts'

/** The result of an import. */
export interface RestoreSummary {
  readonly chains: number
  readonly schemas: number
  readonly attestations: number
  /** Attestations that are revoked without an event: nothing in an export proves that. */
  readonly bornRevoked: number
  /** The version of the program that made the export. */
  readonly program: string
}

export interface RestoreOptions {
  /** Receives the number of events so far, now and then. */
  readonly onProgress?: (events: number) => void
  /** Whether the attestations of a protocol may be revoked without an event; by default, those of any protocol. */
  readonly mayBeBornRevoked?: (protocol: ProtocolName) => boolean
}

/** Events that are worth a transaction of their own, or fewer whose lines have about so many characters. */
const eventsPerStep = 5_000
const stepLength = 8 * 2 ** 20

/**
 * Restores an index from the lines of an export, in one go. The store takes on the content of the export after all of
 * it has been read, found whole, and found again in an export of what was stored. Else it stays as it was. The store is
 * finished or abandoned on return, whatever happens.
 * @throws ExportDamagedError
 */
export async function restoreIndex(
  text: AsyncIterable<string>,
  restore: IndexRestore,
  options: RestoreOptions = {},
): Promise<RestoreSummary> {
  try {
    const lines: { last: string } = { last: '' }
    const opened = await openExport(rememberLast(text, lines))
    const summary = await restoreLines(opened.lines, restore, options)
    await assertSame(restore, opened.header.program, lines.last)
    await restore.finish()
    return { ...summary, program: opened.header.program }
  } catch (error) {
    await restore.abandon()
    throw error instanceof StoreInvariantError ? contradiction(error) : error
  }
}

/** A refused record means a damaged export, not a store bug: only this program writes exports that it takes. */
function contradiction(error: StoreInvariantError): ExportDamagedError {
  return new ExportDamagedError(`the export was damaged: ${error.message}`, {
    cause: error,
    facts: error.facts,
  })
}

async function* rememberLast(
  lines: AsyncIterable<string>,
  remembered: { last: string },
): AsyncGenerator<string> {
  for await (const line of lines) {
    remembered.last = line
    yield line
  }
}

/** The last line of an export holds the digest of all of it: if it is the same, so is everything. */
async function assertSame(restore: IndexRestore, program: string, lastLine: string): Promise<void> {
  let found = ''
  for await (const line of restore.exportLines({ program })) found = line
  if (found === lastLine) return
  throw new ExportDamagedError(
    'the export contradicts itself: counts, records or definitions of schemas do not follow from the events that it holds; ' +
      'run attestry verify --offline where it was made',
  )
}

type Counts = { chains: number; schemas: number; attestations: number; bornRevoked: number }

interface OpenChain {
  readonly chainId: ChainId
  readonly progress: Omit<ChainProgress, 'recentBlocks'>
  readonly recentBlocks: RememberedBlock[]
  waiting: StoredEvent[]
  /** The characters of their lines. */
  waitingLength: number
}

async function restoreLines(
  lines: AsyncIterable<ExportLine>,
  restore: IndexRestore,
  { onProgress = () => undefined, mayBeBornRevoked = () => true }: RestoreOptions,
): Promise<Counts> {
  const counts: Counts = { chains: 0, schemas: 0, attestations: 0, bornRevoked: 0 }
  let chain: OpenChain | null = null
  let events = 0
  for await (const line of lines) {
    switch (line.kind) {
      case 'chain': {
        await closeChain(restore, chain)
        const { chainId } = line.identity
        await restore.openChain(line.identity)
        chain = { chainId, progress: line.progress, recentBlocks: [], waiting: [], waitingLength: 0 }
        counts.chains += 1
        break
      }
      case 'block':
        requireChain(chain, line.chainId).recentBlocks.push(line.block)
        break
      case 'event': {
        const open = requireChain(chain, line.chainId)
        if (isBornRevoked(line.stored)) {
          refuseImpossible(line.stored, mayBeBornRevoked)
          counts.bornRevoked += 1
        }
        if (isStep(open) && isNextBlock(open.waiting, line.stored)) {
          await restore.applyEvents(open.chainId, open.waiting)
          events += open.waiting.length
          onProgress(events)
          open.waiting = []
          open.waitingLength = 0
        }
        open.waiting.push(line.stored)
        open.waitingLength += line.length
        if (line.stored.event.kind === 'schemaRegistered') counts.schemas += 1
        if (line.stored.event.kind === 'attestationMade') counts.attestations += 1
        break
      }
      case 'derived':
    }
  }
  await closeChain(restore, chain)
  return counts
}

/** @throws ExportDamagedError if no contract of the protocol revokes an attestation without an event. */
function refuseImpossible(
  { event }: StoredEvent,
  mayBeBornRevoked: (protocol: ProtocolName) => boolean,
): void {
  if (event.kind !== 'attestationMade') return
  const { protocol, key } = event.attestation
  if (mayBeBornRevoked(protocol)) return
  throw new ExportDamagedError(
    `the export has ${formatCompositeId(key)} as revoked without a revocation, which no contract of ${protocol} does`,
  )
}

async function closeChain(restore: IndexRestore, chain: OpenChain | null): Promise<void> {
  if (chain === null) return
  const { chainId, progress, recentBlocks, waiting } = chain
  if (waiting.length > 0) await restore.applyEvents(chainId, waiting)
  await restore.closeChain(chainId, { ...progress, recentBlocks })
}

function requireChain(chain: OpenChain | null, chainId: ChainId): OpenChain {
  if (chain?.chainId === chainId) return chain
  throw new ExportDamagedError(`the export has an event of chain ${chainId} outside that chain's part`)
}

function isStep({ waiting, waitingLength }: OpenChain): boolean {
  return waiting.length >= eventsPerStep || waitingLength >= stepLength
}

function isNextBlock(waiting: readonly StoredEvent[], next: StoredEvent): boolean {
  const last = waiting.at(-1)
  return last !== undefined && positionBlock(last.event.position) < positionBlock(next.event.position)
}
