/** Keys that distinguish the events of one block. */
interface EventNames<Event> {
  /** Key of the event, whatever its place in its block. */
  identity(event: Event): string
  /** Key of its place. */
  place(event: Event): string
}

/** Events of two sources, in pairs of what should be equal. */
interface PairedEvents<Event> {
  readonly pairs: readonly (readonly [before: Event, after: Event])[]
  /** Events of either that have no counterpart. */
  readonly before: readonly Event[]
  readonly after: readonly Event[]
}

/**
 * Pairs events of two sources: those that are the same, in their order, and of the rest those that stand in one place.
 * The place is not enough: one missing event moves all later ones of its block.
 */
export function pairEvents<Event>(
  before: readonly Event[],
  after: readonly Event[],
  { identity, place }: EventNames<Event>,
): PairedEvents<Event> {
  const same = pairBy(before, after, identity)
  const rest = pairBy(same.before, same.after, place)
  return { ...rest, pairs: [...same.pairs, ...rest.pairs] }
}

function pairBy<Event>(
  before: readonly Event[],
  after: readonly Event[],
  nameOf: (event: Event) => string,
): PairedEvents<Event> {
  const waiting = Map.groupBy(before, nameOf)
  const pairs: (readonly [Event, Event])[] = []
  const alone: Event[] = []
  for (const event of after) {
    const counterpart = waiting.get(nameOf(event))?.shift()
    if (counterpart === undefined) alone.push(event)
    else pairs.push([counterpart, event])
  }
  return { pairs, before: [...waiting.values()].flat(), after: alone }
}
