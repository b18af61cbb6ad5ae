import { useState } from 'react'
import { Icon } from '../components/Icon.tsx'
import { applyTheme, readTheme, type Theme } from './theme.ts'
import styles from './ThemeSwitch.module.css'

const themes = [
  { value: 'light', label: 'Light', icon: 'sun' },
  { value: 'dark', label: 'Dark', icon: 'moon' },
  { value: 'system', label: 'As the system', icon: 'system' },
] as const

/** Light, dark, or the theme of the system. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState(readTheme)
  const choose = (value: Theme) => {
    setTheme(value)
    applyTheme(value)
  }
  return (
    <fieldset className={styles.switch}>
      <legend className="visuallyHidden">Theme</legend>
      {themes.map(({ value, label, icon }) => (
        <label key={value} className={styles.choice} title={label}>
          <input
            type="radio"
            name="theme"
            className="visuallyHidden"
            aria-label={label}
            checked={theme === value}
            onChange={() => choose(value)}
          />
          <Icon name={icon} />
        </label>
      ))}
    </fieldset>
  )
}
