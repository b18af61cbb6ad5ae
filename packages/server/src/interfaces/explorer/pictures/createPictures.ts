import { hash } from 'node:crypto'
import { moduleBeside } from '@attestry/core/model/moduleBeside.ts'
import { createRecentMap } from '@attestry/core/model/recentMap.ts'
import { startAskedThread, type AskedThread } from '@attestry/host/askedThread.ts'
import { readVersion } from '@attestry/host/readVersion.ts'
import { createHeavyWork } from '../../../pipeline/limits/heavyWork.ts'
import type { PagePicture } from './pagePicture.ts'

/** The pictures of pages, which networks show beside a link. */
export interface Pictures {
  /** The name of what a picture shows: the same for the same picture. */
  nameOf(picture: PagePicture): string
  /**
   * The PNG of a picture.
   * @throws OverloadedError if too many pictures wait.
   */
  draw(picture: PagePicture): Promise<Uint8Array>
  /** Ends the thread that draws. */
  close(): Promise<void>
}

/** Pictures that are kept, of about 40 kB each. */
const keptMax = 64

/** Bytes that a picture in progress holds, by its pixels. */
const pictureBytes = 4 * 1024 * 1024
/** Pictures in progress, of all clients. */
const pendingMax = 16

/** The thread holds 100 MB, and ends after this time without a picture. */
const idleMs = 60_000

export function createPictures(): Pictures {
  const kept = createRecentMap<string, Promise<Uint8Array>>(keptMax)
  const work = createHeavyWork({
    total: pendingMax * pictureBytes,
    refusal: 'Too many pictures are being drawn.',
  })
  const version = readVersion()
  let drawer: AskedThread<PagePicture, Uint8Array> | null = null
  let idle: NodeJS.Timeout | undefined

  const nameOf = (picture: PagePicture) => hash('sha1', JSON.stringify([version, picture]), 'base64url')

  async function drawNew(picture: PagePicture): Promise<Uint8Array> {
    return await work.run(pictureBytes, async () => {
      clearTimeout(idle)
      const own = (drawer ??= startDrawer())
      try {
        return await own.ask(picture)
      } catch (error) {
        // The next picture gets a new thread.
        if (drawer === own) await end()
        throw error
      } finally {
        clearTimeout(idle)
        idle = setTimeout(() => void end(), idleMs).unref()
      }
    })
  }

  async function end(): Promise<void> {
    const ending = drawer
    drawer = null
    clearTimeout(idle)
    await ending?.close()
  }

  return {
    nameOf,
    draw: (picture) => {
      const name = nameOf(picture)
      const known = kept.get(name)
      if (known !== undefined) return known
      const drawn = drawNew(picture)
      kept.set(name, drawn)
      drawn.catch(() => kept.delete(name))
      return drawn
    },
    close: end,
  }
}

function startDrawer(): AskedThread<PagePicture, Uint8Array> {
  return startAskedThread(moduleBeside(import.meta.url, './pictureThread'), 'draws pictures', {
    isVital: false,
  })
}
