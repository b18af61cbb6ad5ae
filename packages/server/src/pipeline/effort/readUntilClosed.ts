import type { ServerResponse } from 'node:http'
import { RequestEndedError } from '@attestry/core/errors/apiErrors.ts'
import { shareTurn, takeTurn, type TakeTurn } from '@attestry/core/model/threadTurns.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'

/** The reads that take turns, with the position of the parameter `turn`. */
const turnPositions: ReadonlyMap<PropertyKey, number> = new Map<keyof IndexReader, number>([
  ['listAttestations', 3],
  ['listSchemas', 2],
  ['searchAttestations', 2],
  ['findHoldings', 1],
  ['sliceAttestations', 2],
  ['sliceSchemas', 1],
  ['countAttestations', 1],
  ['countSchemas', 1],
  ['groupAttestations', 1],
  ['listAnchors', 2],
])

/** Reads of one statement, of which an answer makes many, or which takes long; others may go on before each. */
const sharingReads: ReadonlySet<PropertyKey> = new Set<keyof IndexReader>([
  'sliceAttestations',
  'findHoldings',
  'listAgents',
  'sliceAgents',
  'listAgentNotes',
  'countAgentNotes',
  'listAgentHistory',
  'findTransaction',
])

/** The parameters of a read, with the turns that it takes where it is one that takes turns. */
export function withTurns(name: PropertyKey, given: readonly unknown[], turn: TakeTurn): readonly unknown[] {
  const position = turnPositions.get(name)
  return position === undefined ? given : [...given.slice(0, position), turn]
}

/** The same reads, which share the thread, and whose further steps end with a RequestEndedError once the response is closed. */
export function readUntilClosed<Reads extends Partial<IndexReader>>(
  reads: Reads,
  response: Pick<ServerResponse, 'destroyed'>,
): Reads {
  const turn = async (): Promise<void> => {
    if (response.destroyed) throw new RequestEndedError()
    await takeTurn()
    if (response.destroyed) throw new RequestEndedError()
  }
  return new Proxy(reads, {
    get: (target, name) => {
      const read: unknown = Reflect.get(target, name)
      const [isSharing, takesTurns] = [sharingReads.has(name), turnPositions.has(name)]
      if (typeof read !== 'function' || !(isSharing || takesTurns)) return read
      return (...given: unknown[]) => {
        const run = () => Reflect.apply(read, target, withTurns(name, given, turn)) as unknown
        const paused = isSharing ? shareTurn() : undefined
        return paused === undefined ? run() : paused.then(run)
      }
    },
  })
}
