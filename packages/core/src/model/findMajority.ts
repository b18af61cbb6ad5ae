/** The group that is larger than every other one; undefined without one. */
export function findMajority<Member>(groups: readonly (readonly Member[])[]): readonly Member[] | undefined {
  const [largest, second] = groups.toSorted((a, b) => b.length - a.length)
  return largest !== undefined && largest.length > (second?.length ?? 0) ? largest : undefined
}
