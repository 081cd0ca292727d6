// The menu of the theme and the language, and of what else the page shows in a way that its user chooses.
import {chosenLanguage, chooseLanguage, languages, messages, type Language} from '../messages'
import {applyTheme, chosenTheme, type Theme} from './theme'
import {Icon, MenuButton, type MenuItem} from './ui'

/** `more` are items above the others. */
export function AppearanceMenu({more = () => []}: {more?: () => MenuItem[]}) {
  const items = (): MenuItem[] => {
    const first = more()
    return [
      ...first,
      ...(['system', 'light', 'dark'] as Theme[]).map((theme, i) => ({
        label: messages.ui.themes[theme],
        checked: chosenTheme() === theme,
        separated: i === 0 && first.length > 0,
        onSelect: () => applyTheme(theme),
      })),
      {
        label: messages.ui.browserLanguage,
        checked: chosenLanguage() === null,
        separated: true,
        onSelect: () => chooseLanguage(null),
      },
      ...(Object.keys(languages) as Language[]).map(name => ({
        label: languages[name],
        checked: chosenLanguage() === name,
        onSelect: () => chooseLanguage(name),
      })),
    ]
  }
  return (
    <MenuButton label={messages.ui.appearance} className="icon-button" items={items}>
      <Icon name="moon" />
    </MenuButton>
  )
}
