import type { Page } from 'playwright-core'

/** The pictures of README: a page each. `npm run screenshots` takes them. */
export const pictures = [
  { name: 'attestation', colorScheme: 'light' },
  { name: 'schema', colorScheme: 'dark' },
] as const

export const pictureViewport = { width: 1280, height: 860 }

/** Beside the pictures: the version and, for each picture, what its page said when it was taken. */
export interface MadePictures {
  readonly version: string
  readonly outlines: Readonly<Record<string, readonly string[]>>
}

/**
 * The words of a page that are the explorer's own, in their order: headings, names of facts and columns, buttons and
 * links to pages. They are the same over any index with the content of the demo. Notices about chains are left out: an
 * index that nobody continues falls behind during a long run.
 */
export async function outlineOf(page: Page): Promise<readonly string[]> {
  return await page.evaluate(() => {
    // Values of fields are words of the records.
    const others = 'dialog, [role="status"], [aria-label^="Values of"]'
    const words = 'h1, h2, h3, th, dt, label, summary, legend, button, [class*="button"], nav a'
    return (
      Array.from(document.querySelectorAll<HTMLElement>(words))
        .filter((element) => element.checkVisibility() && element.closest(others) === null)
        .map(({ localName, innerText }) => [localName, innerText.trim().replaceAll(/\s+/g, ' ')])
        .filter(([, text]) => text !== '')
        // Counts and times differ.
        .map(([name, text]) => `${name} ${text?.replaceAll(/\d[\d,]*/g, '0')}`)
    )
  })
}

/** Paths of the pages in the pictures: a schema of the demo, and the newest valid attestation under it. */
export async function findPicturePaths(
  siteUrl: string,
): Promise<Readonly<Record<(typeof pictures)[number]['name'], string>>> {
  const schema = 'onchain_evm_31337_0x1'
  return { attestation: await findAttestationPath(siteUrl, schema), schema: `/schema/${schema}` }
}

/** The page of the newest valid attestation with a recipient under a schema. */
export async function findAttestationPath(siteUrl: string, schema: string): Promise<string> {
  const response = await fetch(
    `${siteUrl}/scan/attestations?schemaId=${schema}&revoked=false&expired=false&size=20`,
  )
  const { data } = (await response.json()) as {
    readonly data: {
      readonly rows: readonly { readonly id: string; readonly recipients: readonly string[] }[]
    }
  }
  const attestation = data.rows.find(({ recipients }) => recipients.length > 0)
  if (attestation === undefined) throw new Error('there is nothing to show')
  return `/attestation/${attestation.id}`
}
