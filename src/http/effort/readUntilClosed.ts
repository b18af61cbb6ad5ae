import type { ServerResponse } from 'node:http'
import { RequestEndedError } from '../../errors/apiErrors.ts'
import { takeTurn, type TakeTurn } from '../../model/threadTurns.ts'
import type { IndexReader } from '../../store/indexReader.ts'

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

/** The parameters of a read, with the turns that it takes where it is one that takes turns. */
export function withTurns(name: PropertyKey, given: readonly unknown[], turn: TakeTurn): readonly unknown[] {
  const position = turnPositions.get(name)
  return position === undefined ? given : [...given.slice(0, position), turn]
}

/** The same reads, whose further steps end with a RequestEndedError once the response is closed. */
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
      if (typeof read !== 'function' || !turnPositions.has(name)) return read
      return (...given: unknown[]) => Reflect.apply(read, target, withTurns(name, given, turn)) as unknown
    },
  })
}
