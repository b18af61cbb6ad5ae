/** How many of the schemas that a name finds have this name, whatever its case and spaces. */
export function countNamesakes(name: string, found: readonly { readonly name: string }[]): number {
  const folded = fold(name)
  return found.filter((schema) => fold(schema.name) === folded).length
}

function fold(name: string): string {
  return name.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase()
}
