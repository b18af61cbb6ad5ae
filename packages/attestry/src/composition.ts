import type { ResolvedParts } from '@attestry/host/config/configPart.ts'
import type { Wing } from '@attestry/server/wing.ts'

/** The exports of a module that lists the wings of a program, such as `wings.ts`. */
export interface Composition {
  readonly wings: readonly Wing[]
  /** The address of that module. */
  readonly url: string
}

/** The wings and their configurations in a form that can be sent to a thread or process. */
export interface WingSettings {
  /** `Composition.url` */
  readonly url: string
  readonly configs: ResolvedParts
}

export async function importWings({ url }: Pick<WingSettings, 'url'>): Promise<readonly Wing[]> {
  // The composition root of this program or of a test.
  const { wings } = (await import(/* @vite-ignore */ url)) as Composition
  return wings
}
