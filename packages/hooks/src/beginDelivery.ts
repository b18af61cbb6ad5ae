import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { presentDecodedChange } from '@attestry/server/interfaces/events/presentChange.ts'
import type { IndexHost, IndexingWing } from '@attestry/server/wing.ts'
import type { HookConfig } from './hookConfig.ts'
import { runHooks } from './runHooks.ts'
import { beginHooks } from './startState.ts'

/** Delivers hooks beside the writer. They begin before anything is indexed: of a new database they tell everything. */
export async function beginDelivery(host: IndexHost, hooks: readonly HookConfig[]): Promise<IndexingWing> {
  const { reader, writer, stop } = host
  if (await writer.claimHooks()) await beginHooks(hooks, reader, writer)
  const decodePayload = decodeAttestedPayload
  return {
    ended: runHooks(
      {
        ...host,
        hooks,
        decodePayload,
        presentChange: (change) => presentDecodedChange(change, decodePayload),
        now: Date.now,
      },
      stop,
    ),
  }
}
