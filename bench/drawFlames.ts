import { escapeHtml } from '@attestry/server/interfaces/explorer/pageTemplate.ts'
import type { ProfileNode } from './cpuProfile.ts'

/** A frame of a flame graph with the samples that it is part of. */
interface Flame {
  readonly name: string
  readonly path: string
  samples: number
  readonly above: Map<string, Flame>
}

const width = 1_200
const rowHeight = 16
const characterWidth = 6.6
/** Narrower frames are left out. */
const pixelsMin = 2

/** Colours by what a frame belongs to; the first that its path fits counts. */
const colours: readonly (readonly [fits: RegExp, colour: string])[] = [
  [/packages\/store\//, '#9ec5fe'],
  [/packages\/core\//, '#a3cfbb'],
  [/packages\//, '#ffe69c'],
  [/node_modules\//, '#feb272'],
  [/^node:/, '#dee2e6'],
]
/** Of the engine: garbage collection, native code. */
const engineColour = '#f1aeb5'

/** Draws the stacks of a profile (innermost frame first) as an SVG image: the width of a frame is its share of samples. */
export function drawFlames(title: string, stacks: readonly (readonly ProfileNode[])[]): string {
  const root: Flame = { name: title, path: '', samples: stacks.length, above: new Map() }
  for (const stack of stacks) {
    let flame = root
    for (const { callFrame } of stack.toReversed()) {
      if (callFrame.functionName === '(root)') continue
      flame = flameAbove(flame, callFrame)
      flame.samples += 1
    }
  }
  const pixelsOf = ({ samples }: Flame) => (samples / root.samples) * width
  const rows: string[][] = []
  const draw = (flame: Flame, x: number, row: number) => {
    const text = `${flame.name} ${((flame.samples / root.samples) * 100).toFixed(1)} %`
    ;(rows[row] ??= []).push(drawFrame(flame, text, x, pixelsOf(flame), row))
    let next = x
    for (const each of [...flame.above.values()].sort((a, b) => b.samples - a.samples)) {
      if (pixelsOf(each) >= pixelsMin) draw(each, next, row + 1)
      next += pixelsOf(each)
    }
  }
  draw(root, 0, 0)
  const height = rows.length * rowHeight
  // The outermost frame stands at the bottom.
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 ${-height} ${width} ${height}" ` +
    `font-family="monospace" font-size="11">\n<rect y="${-height}" width="${width}" height="${height}" fill="#fff"/>\n` +
    `${rows.flat().join('\n')}\n</svg>\n`
  )
}

function flameAbove(below: Flame, { functionName, url }: ProfileNode['callFrame']): Flame {
  const name = functionName === '' ? '(anonymous)' : functionName
  const path = url.replace(/^.*\/(?=packages\/|node_modules\/|bench\/)/, '')
  const key = `${name} ${path}`
  let flame = below.above.get(key)
  if (flame === undefined) below.above.set(key, (flame = { name, path, samples: 0, above: new Map() }))
  return flame
}

function drawFrame({ path }: Flame, text: string, x: number, pixels: number, row: number): string {
  const y = -(row + 1) * rowHeight
  const colour = colours.find(([fits]) => fits.test(path))?.[1] ?? engineColour
  const characters = Math.floor((pixels - 4) / characterWidth)
  const label =
    characters < 3
      ? ''
      : `<text x="${(x + 2).toFixed(1)}" y="${y + 12}">${escapeHtml(text.slice(0, characters))}</text>`
  return (
    `<g><title>${escapeHtml(`${text} ${path}`.trim())}</title><rect x="${x.toFixed(1)}" y="${y}" ` +
    `width="${Math.max(pixels - 0.5, 0.5).toFixed(1)}" height="${rowHeight - 1}" fill="${colour}"/>${label}</g>`
  )
}
