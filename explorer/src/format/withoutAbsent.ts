type Present<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> }

/** The defined members: an absent parameter and an undefined one are the same question. */
export function withoutAbsent<Members extends object>(members: Members): Present<Members> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as Present<Members>
}
