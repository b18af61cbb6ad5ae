import type { UnixSeconds } from '@attestry/core/model/time.ts'

/** The size that social networks ask for, in pixels. */
export const pictureSize = { width: 1200, height: 630 } as const

/** The content of the picture of a page. Its texts may come from a chain; the drawing cleans and cuts them. */
export interface PagePicture {
  /** The kind of the page's subject, such as `Attestation`; empty for a page without a subject. */
  readonly kind: string
  readonly title: string
  /** A sentence or two below the title. */
  readonly text?: string
  readonly state?: PictureState
  /** At most four labels with their values. */
  readonly facts?: readonly (readonly [label: string, value: string])[]
  /** The id of the subject; empty for none. */
  readonly id?: string
  /** The moment of the index at which all of this was so. Absent if the picture shows nothing of the index. */
  readonly asOf?: UnixSeconds
}

export interface PictureState {
  readonly word: string
  readonly tone: 'good' | 'bad' | 'warn' | 'quiet'
}
