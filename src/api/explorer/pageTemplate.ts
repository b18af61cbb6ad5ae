/** The built page around the place where its title and its description go. */
export interface PageTemplate {
  readonly before: string
  readonly after: string
}

/** The texts of a page for the browser's tab, for search engines, and for previews of shared links. */
export interface PageHead {
  readonly title: string
  readonly description: string
}

/** Longest texts that previews show; previews cut longer ones at worse places. */
const titleLengthMax = 90
const descriptionLengthMax = 200

/** Splits the built page, so that each address gets its own title and description. */
export function createPageTemplate(html: string): PageTemplate {
  const bare = html.replace(/<meta\s+name="description"[^>]*>\s*/i, '')
  const title = /<title>[^<]*<\/title>/i.exec(bare)
  const at = title?.index ?? bare.search(/<\/head>/i)
  if (at < 0) throw new TypeError('the built page has neither a title nor a head')
  return { before: bare.slice(0, at), after: bare.slice(at + (title?.[0].length ?? 0)) }
}

/**
 * The page with its head. Both texts may come from a chain: they are cleaned, cut and escaped here.
 *
 * @param elements of ours, as they stand.
 */
export function renderPage({ before, after }: PageTemplate, head: PageHead, elements = ''): string {
  const title = escapeHtml(cutText(cleanText(head.title), titleLengthMax))
  const description = escapeHtml(cutText(cleanText(head.description), descriptionLengthMax))
  return `${before}<title>${title}</title>
    <meta name="description" content="${description}" />
    <meta property="og:site_name" content="Attestry" />
    <meta property="og:type" content="website" />
    <meta property="og:title" content="${title}" />
    <meta property="og:description" content="${description}" />
    <meta name="twitter:card" content="summary" />
    <meta name="twitter:title" content="${title}" />
    <meta name="twitter:description" content="${description}" />${elements}${after}`
}

/**
 * Text without invisible characters that change its appearance: control characters, marks of writing direction,
 * joiners, halves of surrogate pairs. Runs of white space become one space.
 */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cf}\p{Co}\p{Cn}\uFFFD\u115F\u1160\u3164\uFFA0]/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/\p{Cc}/gu, '')
    .trim()
}

function cutText(text: string, lengthMax: number): string {
  const characters = [...text]
  return characters.length <= lengthMax ? text : `${characters.slice(0, lengthMax - 1).join('')}…`
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
