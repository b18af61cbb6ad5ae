/** The texts of a badge, as they are: they are escaped here. */
export interface Badge {
  /** In the grey half. */
  readonly label: string
  /** In the coloured half. */
  readonly message: string
  readonly color: string
  /** One sentence for those who cannot see the badge. */
  readonly title: string
}

const heightPx = 20
const paddingPx = 6
const textLengthMax = 60

/** A badge as an SVG image. The image runs nothing and loads nothing. */
export function renderBadge({ label, message, color, title }: Badge): string {
  const [left, right] = [measured(label), measured(message)]
  const width = left.boxPx + right.boxPx
  const name = escapeXml(title)
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${heightPx}" role="img" aria-label="${name}">` +
    `<title>${name}</title>` +
    `<clipPath id="r"><rect width="${width}" height="${heightPx}" rx="3"/></clipPath>` +
    '<g clip-path="url(#r)">' +
    `<rect width="${left.boxPx}" height="${heightPx}" fill="#475569"/>` +
    `<rect x="${left.boxPx}" width="${right.boxPx}" height="${heightPx}" fill="${color}"/>` +
    '</g>' +
    '<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">' +
    textElement(left, paddingPx) +
    textElement(right, left.boxPx + paddingPx) +
    '</g></svg>'
  )
}

interface MeasuredText {
  readonly text: string
  readonly textPx: number
  readonly boxPx: number
}

/** The server has no fonts. Viewers fit the text to the width, so the estimate decides how dense the text looks. */
function measured(text: string): MeasuredText {
  const characters = [...text]
  const shown =
    characters.length <= textLengthMax ? characters : [...characters.slice(0, textLengthMax - 1), '…']
  const textPx = Math.ceil(shown.reduce((sum, character) => sum + characterPx(character), 0))
  return { text: shown.join(''), textPx, boxPx: textPx + 2 * paddingPx }
}

/** The width of a character of Verdana at 11 pixels, nearly. */
function characterPx(character: string): number {
  if (/[ .,:;'|!iIjl]/.test(character)) return 4
  if (/[mwMW@%]/.test(character)) return 10
  return (character.codePointAt(0) ?? 0) < 0x1100 ? 6.9 : 11
}

function textElement({ text, textPx }: MeasuredText, x: number): string {
  return `<text x="${x}" y="14" textLength="${textPx}" lengthAdjust="spacingAndGlyphs">${escapeXml(text)}</text>`
}

function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
