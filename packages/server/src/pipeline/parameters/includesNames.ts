/** Whether a value of `include` asks for the names that people use. `names` stands last in such a value. */
export function includesNames(include: string | null): boolean {
  return include?.endsWith('names') === true
}
