/**
 * The values of custom properties in the active theme: browsers resolve `light-dark()` only for elements, so a probe
 * element takes each property as its colour.
 */
export function resolveColours(names: readonly string[]): Readonly<Record<string, string>> {
  const probe = document.createElement('span')
  document.body.append(probe)
  const colours = Object.fromEntries(
    names.map((name) => {
      probe.style.color = `var(${name})`
      return [name, getComputedStyle(probe).color]
    }),
  )
  probe.remove()
  return colours
}
