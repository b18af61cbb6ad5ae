import type { Connection } from './connection.ts'
import { encodeCopy, type CopyTarget, type CopyValue } from './encodeCopy.ts'

/** Appends rows to a table by `COPY`; nothing is asked of the server where there are none. */
export async function copyRows(
  connection: Connection,
  target: CopyTarget,
  rows: Iterable<readonly CopyValue[]>,
): Promise<void> {
  const iterator = rows[Symbol.iterator]()
  const first = iterator.next()
  if (first.done === true) return
  await connection.copy(target, encodeCopy(target, joined(first.value, iterator)))
}

function* joined<Value>(first: Value, rest: Iterator<Value>): Generator<Value> {
  yield first
  for (let next = rest.next(); next.done !== true; next = rest.next()) yield next.value
}
