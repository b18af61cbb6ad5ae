/** What custom properties come to in the theme that holds: a probe wears each as its colour, as `light-dark()` is not resolved elsewhere. */
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
