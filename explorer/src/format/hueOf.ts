/** A hue in degrees for a chain or protocol, spread by the golden angle so that neighbouring numbers differ. */
export function hueOf(text: string): number {
  let sum = 0
  for (let i = 0; i < text.length; i++) sum = (sum * 31 + text.charCodeAt(i)) >>> 0
  return Math.round((sum * 137.508) % 360)
}
