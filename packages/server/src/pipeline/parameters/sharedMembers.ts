/** The names of members that have the values of parameters of the same names. */
type SharedName<Filter, Values> = {
  [Name in keyof Filter & keyof Values]: Values[Name] extends Filter[Name] ? Name : never
}[keyof Filter & keyof Values]

/** The members of a filter that are parameters with the same values. */
export function sharedMembers<Filter extends object, Values extends object>(
  every: Filter,
  values: Values,
): Pick<Filter, SharedName<Filter, Values>> {
  const shared = Object.entries(values).filter(([name]) => name in every)
  // Members whose parameters have other values are not members of the type.
  return Object.fromEntries(shared) as Pick<Filter, SharedName<Filter, Values>>
}
