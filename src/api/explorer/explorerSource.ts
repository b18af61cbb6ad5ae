import type { FixedAnswer } from '../answers/fixedAnswer.ts'
import type { PageName } from './describePage.ts'
import type { PageTemplate } from './pageTemplate.ts'

/** Where the server finds the explorer: it may still be under construction when the first request arrives. */
export interface ExplorerSource {
  state(): ExplorerState
}

export type ExplorerState =
  | { readonly kind: 'building' }
  /** There is none, and none will come before the next start; the log says why. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'ready'; readonly build: ExplorerBuild }

/** One build of the explorer, whole in memory: changes of its files on the disk do not affect answers. */
export interface ExplorerBuild {
  readonly template: PageTemplate
  /** Elements for the head of each page; see `listPageParts`. */
  readonly parts: ReadonlyMap<PageName, string>
  /** Every file but the page, by its path: `/assets/…` and the files beside the page. */
  readonly files: ReadonlyMap<string, FixedAnswer>
}
