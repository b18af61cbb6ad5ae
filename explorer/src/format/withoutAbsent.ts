type Present<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> }

/** The members that are there: an absent parameter and one that is undefined are the same question. */
export function withoutAbsent<Members extends object>(members: Members): Present<Members> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as Present<Members>
}
