import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Contender, IndexState, Place } from './contenders.ts'
import { startProcessGroup, type ProcessGroup } from './processGroup.ts'

/** How long a contender may take for a backfill or for a record. */
export const limitMs = 900_000
const watchedEveryMs = 200

/** Starts a contender; its log is in the folder of the run. */
export function startContender(contender: Contender, place: Place): ProcessGroup {
  return startProcessGroup(contender.command(place), join(place.folder, 'log.txt'))
}

/** Resolves once every attestation and every revocation is answered, and the newest ten are those of the chain. */
export async function untilComplete(
  contender: Contender,
  place: Place,
  group: ProcessGroup,
  onLook: () => void = () => undefined,
): Promise<void> {
  const { attestations, revocations, newest } = place.endpoint
  await watchState(contender, place, group, (state) => {
    onLook()
    if (state === null || state.attestations < attestations || state.revoked < revocations) return false
    const isSame = state.attestations === attestations && state.revoked === revocations
    if (isSame && String(state.newest) === String(newest)) return true
    throw new Error(
      `its records are not those of the chain: ${JSON.stringify({ ...state, newest: undefined })}`,
    )
  })
}

/** Asks for the state again and again until it is wanted; null stands for no answer. */
export async function watchState(
  contender: Contender,
  place: Place,
  group: ProcessGroup,
  isWanted: (state: IndexState | null) => boolean,
): Promise<void> {
  const endMs = performance.now() + limitMs
  for (;;) {
    // A program that is starting refuses connections, or lacks its tables.
    const state = await contender.readState(place).catch(() => null)
    if (isWanted(state)) return
    const failure = group.failure()
    if (failure !== null) throw failure
    if (performance.now() > endMs) throw new Error(`${limitMs / 1000} s were not enough`)
    await delay(watchedEveryMs)
  }
}
