import type { FixedAnswer } from '../../pipeline/answers/fixedAnswer.ts'
import type { PageName } from './pages.ts'
import type { PageTemplate } from './pageTemplate.ts'

/** The source of the explorer for the server: it may still be under construction at the first request. */
export interface ExplorerSource {
  state(): ExplorerState
}

export type ExplorerState =
  | { readonly kind: 'building' }
  /** The explorer is missing until the next start; the log has the reason. */
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
