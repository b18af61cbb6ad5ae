/** Numbers from 0 to below `count`, in the order of numbers. */
function* byNumber(count: number, isDescending: boolean): Generator<number> {
  for (let at = 0; at < count; at++) yield isDescending ? count - 1 - at : at
}

/** The same in the order of their digits as text: 0, 1, 10, 100, 101, …, 2. */
function* byDigits(count: number, isDescending: boolean): Generator<number> {
  const digits = isDescending ? [9, 8, 7, 6, 5, 4, 3, 2, 1, 0] : [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
  function* under(number: number): Generator<number> {
    if (number >= count) return
    if (!isDescending) yield number
    // No number but 0 itself begins with a 0.
    if (number > 0) for (const digit of digits) yield* under(number * 10 + digit)
    if (isDescending) yield number
  }
  for (const digit of digits) yield* under(digit)
}

/** The numbers of agents from 0 to below `count`, as lists ordered by `agentId` or `id` have them. */
export function agentNumbers(
  orderBy: 'agentId' | 'id',
  count: number,
  isDescending: boolean,
): Generator<number> {
  return orderBy === 'agentId' ? byNumber(count, isDescending) : byDigits(count, isDescending)
}

/** The next values of a generator, which `take` would end. */
export function nextOf<Value>(values: Generator<Value>, most: number): readonly Value[] {
  const next: Value[] = []
  while (next.length < most) {
    const { done, value } = values.next() as IteratorResult<Value, undefined>
    if (done === true) break
    next.push(value)
  }
  return next
}
