import { cleanText } from '../../../pipeline/cleanText.ts'
import { escapeHtml } from '../pageTemplate.ts'
import { pictureSize, type PagePicture, type PictureState } from './pagePicture.ts'
import type { Font } from './readFont.ts'

/** The fonts of pictures: the first that has a character draws it. */
export interface PictureFonts {
  readonly regular: readonly Font[]
  readonly bold: readonly Font[]
}

const left = 72
const innerWidth = pictureSize.width - 2 * left

/** The colors of the explorer's light theme (`explorer/src/styles/theme.css`). */
const ink = '#14161f'
const muted = '#565b6b'
const tones: Readonly<Record<PictureState['tone'], readonly [text: string, ground: string]>> = {
  good: ['#14703f', '#e6f5ec'],
  bad: ['#b3261e', '#fdecea'],
  warn: ['#8a5200', '#fdf3e0'],
  quiet: ['#565b6b', '#eeeff3'],
}

/** Sizes of a title of several words, each with its most lines: the first that holds the whole title is taken. */
const phraseSizes = [
  { size: 76, linesMax: 1 },
  { size: 58, linesMax: 2 },
  { size: 46, linesMax: 2 },
] as const
/** The same for one word. An address fits on one line. */
const wordSizes = [
  { size: 76, linesMax: 1 },
  { size: 58, linesMax: 1 },
  { size: 43, linesMax: 2 },
] as const

/** Sizes of the values of facts: as large as the widest one allows. */
const factSizes = { min: 27, max: 34 } as const

/** Longer texts are cut before they are measured. */
const charactersMax = 300

/** Drawn in place of a character that no font has, so that nobody takes the rest for the whole name. */
const missing = '□'

/** Draws a picture as an SVG that loads nothing. Each text that comes from others is an element of its own. */
export function drawPicture(picture: PagePicture, fonts: PictureFonts): string {
  const regular = createTypesetter(fonts.regular, 400)
  const bold = createTypesetter(fonts.bold, 600)
  const { kind, title, text = '', state, facts = [], id = '', asOf } = picture

  const { size, lines } = fitTitle(bold, title)
  const titleTop = (facts.length === 0 ? 260 : 190) + size * 0.5
  const parts = lines.map((line, at) => bold.draw(line, left, titleTop + at * size * 1.18, size, ink))
  let bottom = titleTop + (lines.length - 1) * size * 1.18
  if (state !== undefined) {
    const [color, ground] = tones[state.tone]
    const width = bold.measure(state.word, 32) + 52
    parts.push(
      `<rect x="${left}" y="${bottom + 40}" width="${width}" height="60" rx="30" fill="${ground}"/>`,
      bold.draw(state.word, left + 26, bottom + 81, 32, color),
    )
    bottom += 100
  }
  // The room above the facts.
  const rows = Math.floor(((facts.length === 0 ? 500 : 405) - bottom - 64) / 46) + 1
  const shown = regular.wrap(text, 32, innerWidth, rows)
  parts.push(...shown.map((line, at) => regular.draw(line, left, bottom + 64 + at * 46, 32, muted)))
  const columnWidth = innerWidth / Math.max(3, facts.length)
  const room = columnWidth - 20
  const widest = Math.max(...facts.map(([, value]) => bold.measure(value, factSizes.max)), room)
  const factSize = Math.max(factSizes.min, Math.floor((factSizes.max * room) / widest))
  for (const [at, [label, value]] of facts.entries()) {
    const x = left + at * columnWidth
    const [shown = ''] = bold.wrap(value, factSize, room, 1)
    parts.push(regular.draw(label, x, 452, 25, muted), bold.draw(shown, x, 496, factSize, ink))
  }
  const [shownId = ''] = regular.wrap(id, 26, 460, 1)
  const moment = asOf === undefined ? '' : `As of ${formatMinute(asOf)}`
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${pictureSize.width}" height="${pictureSize.height}">` +
    `<rect width="100%" height="100%" fill="#f8f8fa"/><rect width="100%" height="12" fill="#4353c9"/>` +
    `<g transform="translate(${left} 64) scale(1.75)"><rect width="32" height="32" rx="8" fill="#4353c9"/>` +
    '<path d="M9 16.5l4.6 4.6L23.4 11" fill="none" stroke="#fff" stroke-width="3.4" stroke-linecap="round" stroke-linejoin="round"/></g>' +
    bold.draw('Attestry', left + 76, 105, 36, ink) +
    regular.draw(kind, pictureSize.width - left, 105, 30, muted, 'end') +
    parts.join('') +
    (moment === '' ? '' : `<rect x="${left}" y="538" width="${innerWidth}" height="2" fill="#e5e6ec"/>`) +
    regular.draw(moment, left, 586, 26, muted) +
    regular.draw(shownId, pictureSize.width - left, 586, 26, muted, 'end') +
    '</svg>'
  )
}

function fitTitle(
  bold: Typesetter,
  title: string,
): { readonly size: number; readonly lines: readonly string[] } {
  const sizes = title.trim().includes(' ') ? phraseSizes : wordSizes
  const fitted = sizes.map(({ size, linesMax }) => ({
    size,
    lines: bold.wrap(title, size, innerWidth, linesMax),
  }))
  const whole = fitted.find(({ lines }) => lines.at(-1)?.endsWith('…') !== true)
  return whole ?? fitted.at(-1) ?? { size: 0, lines: [] }
}

/** `28 Nov 2026, 14:05 UTC`. */
function formatMinute(seconds: number): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...{ day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
    timeZone: 'UTC',
  })
  return `${format.format(seconds * 1000)} UTC`
}

interface Typesetter {
  /** The width of a text, in pixels. */
  measure(text: string, size: number): number
  /** Breaks a text into lines, between words where it can. The last one ends with `…` if there is more. */
  wrap(text: string, size: number, width: number, linesMax: number): readonly string[]
  /** Draws one line at its baseline. */
  draw(line: string, x: number, y: number, size: number, color: string, anchor?: 'start' | 'end'): string
}

function createTypesetter(fonts: readonly Font[], weight: number): Typesetter {
  const widths = new Map<string, number | null>()

  /** The width of a character, in parts of the size; null if no font has it. */
  function findWidth(character: string): number | null {
    const known = widths.get(character)
    if (known !== undefined) return known
    const codePoint = character.codePointAt(0) ?? 0
    const found = fonts.find((font) => font.has(codePoint))?.widthOf(codePoint) ?? null
    widths.set(character, found)
    return found
  }

  const measure = (text: string, size: number): number =>
    [...text].reduce((sum, each) => sum + (findWidth(each) ?? 0), 0) * size

  /** The characters that can be drawn. Marks of more than two on one letter would cover other lines. */
  function showable(text: string): string {
    const characters = [...cleanText(text).replaceAll(/\p{Variation_Selector}/gu, '')].slice(0, charactersMax)
    return characters
      .map((each) => (findWidth(each) === null ? missing : each))
      .join('')
      .replaceAll(/(\p{M}{2})\p{M}+/gu, '$1')
  }

  /** The longest beginning of a text with `…` that fits. */
  function cut(text: string, size: number, width: number): string {
    let room = width - measure('…', size)
    let kept = ''
    for (const character of text) {
      room -= measure(character, size)
      if (room < 0) break
      kept += character
    }
    return `${kept.trimEnd()}…`
  }

  return {
    measure,
    wrap: (text, size, width, linesMax) => {
      const lines: string[] = []
      let rest = showable(text)
      while (rest !== '' && lines.length < linesMax) {
        if (measure(rest, size) <= width) return [...lines, rest]
        if (lines.length === linesMax - 1) return [...lines, cut(rest, size, width)]
        const whole = cut(rest, size, width).slice(0, -1)
        const space = rest[whole.length] === ' ' ? whole.length : whole.lastIndexOf(' ')
        const line = space > 0 ? whole.slice(0, space) : whole
        lines.push(line)
        rest = rest.slice(line.length).trimStart()
      }
      return lines
    },
    draw: (line, x, y, size, color, anchor = 'start') =>
      line === ''
        ? ''
        : `<text x="${x}" y="${y}" font-family="Inter" font-size="${size}" font-weight="${weight}" fill="${color}" text-anchor="${anchor}">${escapeHtml(showable(line))}</text>`,
  }
}
