/** The chosen theme; `system` by default. `public/theme.js` applies it before the first paint. */
export type Theme = 'light' | 'dark' | 'system'

const key = 'attestry.theme'

export function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(key)
    return stored === 'light' || stored === 'dark' ? stored : 'system'
  } catch {
    return 'system'
  }
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  try {
    if (theme === 'system') localStorage.removeItem(key)
    else localStorage.setItem(key, theme)
  } catch {
    // Storage may be forbidden; the choice holds until the page is left.
  }
}
