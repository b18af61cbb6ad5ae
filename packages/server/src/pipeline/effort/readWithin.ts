import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { Effort } from './createEffort.ts'
import { withTurns } from './readUntilClosed.ts'

/** The same reads, each a part of the effort. Streams of rows are read at the pace of whoever takes them. */
export function readWithin<Reads extends PastReader>(reads: Reads, effort: Effort): Reads {
  return new Proxy(reads, {
    get: (target, name) => {
      const read: unknown = Reflect.get(target, name)
      if (typeof read !== 'function' || name === 'exportLines') return read
      return (...given: unknown[]) =>
        effort.run(() => Reflect.apply(read, target, withTurns(name, given, effort.turn)) as Promise<unknown>)
    },
  })
}
