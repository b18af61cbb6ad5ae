import { createJournalTail } from '@attestry/core/changes/journalTail.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DeliveryFailure, HookMessage } from '@attestry/hooks/deliverMessage.ts'
import { hookEvents, type HookConfig } from '@attestry/hooks/hookConfig.ts'
import { parseHookState } from '@attestry/hooks/hookState.ts'
import { runHooks } from '@attestry/hooks/runHooks.ts'
import { beginHooks } from '@attestry/hooks/startState.ts'
import { exportedRecords, followMessages, type KnownRecord } from '@attestry/hooks/testing/followMessages.ts'
import type { ReceivedMessage } from '@attestry/hooks/testing/startReceiver.ts'
import type { Clock } from '@attestry/core/model/clock.ts'
import { presentDecodedChange } from '@attestry/server/interfaces/events/presentChange.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import type { TestReader } from '@attestry/store/testing/storeFactory.ts'
import type { Random } from '../simulator/random.ts'

type Message = Pick<ReceivedMessage, 'type' | 'data'>

/** The receivers of a world, which outlive its processes: one at the head, one of final blocks. */
export interface SimulatedReceivers {
  /** Makes an attempt at a message, as the network would. */
  deliver(
    hook: HookConfig['when'],
    message: HookMessage,
    clock: Clock,
    stop: AbortSignal,
  ): Promise<DeliveryFailure | null>
  /** The messages that were taken. */
  messageCount(): number
  /** From now on each attempt delivers. */
  calm(): void
  /**
   * Differences between the records that the receivers know and those of an export. In the export, `finalBlock` and all
   * blocks before it are final.
   */
  findProblems(exported: readonly string[], finalBlock: number): string[]
}

const whens = ['head', 'final'] as const

export function createSimulatedReceivers(random: Random): SimulatedReceivers {
  const messages = { head: [] as Message[], final: [] as Message[] }
  let isCalm = false
  return {
    async deliver(hook, { body }, clock, stop) {
      const [isSlow, isTaken, isAnswered] = [random.chance(0.1), random.chance(0.95), random.chance(0.95)]
      if (isSlow) await clock.sleep(random.integer(1, 3_000), stop).catch(() => undefined)
      if (isCalm || isTaken) messages[hook].push(JSON.parse(body) as Message)
      // A message may be taken though the sender does not learn of it.
      return isCalm || (isTaken && isAnswered) ? null : { message: 'the receiver broke off the connection' }
    },
    messageCount: () => messages.head.length + messages.final.length,
    calm: () => {
      isCalm = true
    },
    findProblems: (exported, finalBlock) => [
      ...differences('head', followMessages(messages.head), exportedRecords(exported)),
      ...differences(
        'final',
        followMessages(messages.final),
        exportedRecords(finalLines(exported, finalBlock)),
      ),
    ],
  }
}

function differences(hook: string, known: readonly KnownRecord[], wanted: readonly KnownRecord[]): string[] {
  const [has, needs] = [known, wanted].map((records) => new Set(records.map((each) => JSON.stringify(each))))
  return [
    ...[...(needs ?? [])].filter((each) => !has?.has(each)).map((each) => `the hook ${hook} lacks ${each}`),
    ...[...(has ?? [])].filter((each) => !needs?.has(each)).map((each) => `the hook ${hook} has ${each}`),
  ].slice(0, 5)
}

/** The lines of an export as they were when no later block was indexed. */
function finalLines(exported: readonly string[], finalBlock: number): string[] {
  return exported.flatMap((text) => {
    const line = JSON.parse(text) as {
      readonly blockNumber?: number
      readonly revokedBy?: { readonly blockNumber: number } | null
    }
    if ((line.blockNumber ?? 0) > finalBlock) return []
    return (line.revokedBy?.blockNumber ?? 0) > finalBlock
      ? JSON.stringify({ ...line, revoked: false })
      : text
  })
}

/** The hooks of one life of a process. */
export interface SimulatedHooks {
  /** Resolves after they have begun: all changes indexed later are reported. */
  readonly begun: Promise<unknown>
  /** Whether all indexed changes, or all final ones, are delivered. */
  haveDelivered(): Promise<boolean>
  /** Ends when the signal that they were started with is aborted. */
  readonly ended: Promise<void>
}

/** @param clock the clock of the process: a dead one never wakes. */
export function startSimulatedHooks(
  receivers: Pick<SimulatedReceivers, 'deliver'>,
  { reader, writer }: { readonly reader: TestReader; readonly writer: IndexWriter },
  clock: Clock,
  stop: AbortSignal,
): SimulatedHooks {
  const filter = { schema: null, attester: null, recipient: null, chainId: null, protocol: null, fields: [] }
  const hooks = whens.map((when): HookConfig => {
    const events = new Set(hookEvents.filter((event) => !event.startsWith('chain.')))
    const url = `http://${when}.example`
    return { name: when, url, secrets: [], events, when, filter, staleAfterMs: 300_000 }
  })
  const begun = writer.claimHooks().then(() => beginHooks(hooks, reader, writer))
  const ended = begun.then(() =>
    runHooks(
      {
        hooks,
        reader,
        writer,
        tail: createJournalTail({ journal: null, version: () => reader.indexVersion(), clock }),
        decodePayload: decodeAttestedPayload,
        presentChange: (change) => presentDecodedChange(change, decodeAttestedPayload),
        now: () => clock.nowMs(),
        clock,
        deliver: ({ url }, message, _nowSeconds, ending) =>
          receivers.deliver(url.includes('head') ? 'head' : 'final', message, clock, ending),
        log: () => undefined,
        intervals: { versionMs: 2_000, tableMs: 20_000 },
      },
      stop,
    ),
  )
  return {
    begun,
    ended,
    async haveDelivered() {
      await nextTurn()
      const [place, rows, ends] = [
        await reader.newestChange(),
        await reader.listHooks(),
        await reader.listChainEnds(),
      ]
      const [final, head] = rows.map(({ stateJson }) => parseHookState(stateJson))
      return (
        JSON.stringify(head?.place) === JSON.stringify(place) &&
        ends.every((end) => (final?.spans[end.chainId]?.after ?? -1) >= end.final)
      )
    },
  }
}
