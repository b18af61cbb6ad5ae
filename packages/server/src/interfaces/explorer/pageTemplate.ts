import { cleanText } from '../../pipeline/cleanText.ts'
import { pictureSize, type PagePicture } from './pictures/pagePicture.ts'

/** The built page around the places where its head and the shell of the app go. */
export interface PageTemplate {
  readonly before: string
  readonly between: string
  /** Empty in a page without an element for the app. */
  readonly after: string
}

/** The texts of a page for the browser's tab, for search engines, and for previews of shared links. */
export interface PageHead {
  readonly title: string
  readonly description: string
  /** The heading that the page shows until the app draws it; the title where it has none of its own. */
  readonly heading?: string
  /** The path that search engines shall list where several show the page; absent if none shall be listed. */
  readonly canonical?: string
  /** The picture beside a link to the page; the title and the description where it has none of its own. */
  readonly picture?: PagePicture
}

/** Absolute URLs for previews of links. */
export interface PreviewUrls {
  readonly origin: string
  /** The picture of the page; null for none. */
  readonly picture: string | null
}

/** Longest texts that previews show; previews cut longer ones at worse places. */
const titleLengthMax = 90
const descriptionLengthMax = 200

/** The element that the app draws into. */
const rootElement = '<div id="root">'

/** Splits the built page, so that each address gets its own title and description. */
export function createPageTemplate(html: string): PageTemplate {
  const bare = html.replace(/<meta\s+name="description"[^>]*>\s*/i, '')
  const title = /<title>[^<]*<\/title>/i.exec(bare)
  const at = title?.index ?? bare.search(/<\/head>/i)
  if (at < 0) throw new TypeError('the built page has neither a title nor a head')
  const rest = bare.slice(at + (title?.[0].length ?? 0))
  const root = rest.indexOf(rootElement)
  const end = root < 0 ? rest.length : root + rootElement.length
  return { before: bare.slice(0, at), between: rest.slice(0, end), after: rest.slice(end) }
}

/**
 * The page with its head and its shell. All texts may come from a chain: they are cleaned, cut and escaped here.
 *
 * @param elements of ours, as they stand.
 * @param urls null where the origin of the server is not known.
 */
export function renderPage(
  { before, between, after }: PageTemplate,
  head: PageHead,
  elements = '',
  urls: PreviewUrls | null = null,
): string {
  const title = escapeHtml(cutText(cleanText(head.title), titleLengthMax))
  const description = escapeHtml(cutText(cleanText(head.description), descriptionLengthMax))
  return `${before}<title>${title}</title>
    <meta name="description" content="${description}" />${renderCanonical(head.canonical)}
    <meta property="og:site_name" content="Attestry" />
    <meta property="og:type" content="website" />
    <meta property="og:title" content="${title}" />
    <meta property="og:description" content="${description}" />
    <meta name="twitter:title" content="${title}" />
    <meta name="twitter:description" content="${description}" />${renderPreview(urls, head.canonical, description)}${elements}${between}${after === '' ? '' : renderShell(head, description)}${after}`
}

/** Only the path: the server does not know under which names it is reached. */
function renderCanonical(path: string | undefined): string {
  return path === undefined ? '' : `<link rel="canonical" href="${escapeHtml(path)}" />`
}

/** @param description cleaned and escaped. */
function renderPreview(urls: PreviewUrls | null, canonical: string | undefined, description: string): string {
  const url =
    urls === null || canonical === undefined
      ? ''
      : `
    <meta property="og:url" content="${escapeHtml(urls.origin + canonical)}" />`
  const picture = urls?.picture ?? null
  if (picture === null)
    return `${url}
    <meta name="twitter:card" content="summary" />`
  return `${url}
    <meta property="og:image" content="${escapeHtml(picture)}" />
    <meta property="og:image:type" content="image/png" />
    <meta property="og:image:width" content="${pictureSize.width}" />
    <meta property="og:image:height" content="${pictureSize.height}" />
    <meta property="og:image:alt" content="${description}" />
    <meta name="twitter:card" content="summary_large_image" />`
}

/**
 * The content of the page until the app draws it: on a slow phone, the scripts take two seconds to arrive. `base.css`
 * gives the shell the sizes of the app.
 * @param description cleaned and escaped.
 */
function renderShell({ title, heading }: PageHead, description: string): string {
  const shown = escapeHtml(cutText(cleanText(heading ?? title.replace(/ · Attestry$/, '')), titleLengthMax))
  return `<div class="${heading === undefined ? 'shell' : 'shell hero'}"><header>Attestry</header><main><div aria-busy="true"><h1>${shown}</h1><p>${description}</p></div></main></div>`
}

function cutText(text: string, lengthMax: number): string {
  const characters = [...text]
  return characters.length <= lengthMax ? text : `${characters.slice(0, lengthMax - 1).join('')}…`
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
