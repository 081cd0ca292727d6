// The colors of the editor. They are GraphiQL's, except for line numbers, comments and numbers, which have too little contrast on white, light grey and dark
// blue.

import {editor} from 'monaco-graphql/esm/monaco-editor.js'

interface Palette {
  base: 'vs' | 'vs-dark'
  ground: string
  primary: string
  argument: string
  comment: string
  number: string
  lineNumber: string
}

const light: Palette = {base: 'vs', ground: '#ffffff', primary: '#d60590', argument: '#6c69ce', comment: '#007000', number: '#07704a', lineNumber: '#5a667d'}
const dark: Palette = {
  base: 'vs-dark',
  ground: '#212a3b',
  primary: '#ff5794',
  argument: '#908aff',
  comment: '#85b56b',
  number: '#b5cea8',
  lineNumber: '#9aa5ba',
}

export const themes = {light: 'issuegrid-light', dark: 'issuegrid-dark'}

/** Registers the themes with the editor. Must run before GraphiQL uses one. */
export function defineThemes(): void {
  editor.defineTheme(themes.light, theme(light))
  editor.defineTheme(themes.dark, theme(dark))
}

function theme({base, ground, primary, argument, comment, number, lineNumber}: Palette): editor.IStandaloneThemeData {
  const transparent = '#ffffff00'
  const shade = `${primary}19`
  return {
    base,
    inherit: true,
    colors: {
      'editor.background': transparent,
      'scrollbar.shadow': transparent,
      'editorLineNumber.foreground': lineNumber,
      'editorLineNumber.dimmedForeground': lineNumber,
      'editorLineNumber.activeForeground': base === 'vs' ? '#3b4b68' : '#b7c2d7',
      'textLink.foreground': primary,
      'textLink.activeForeground': primary,
      'editorLink.activeForeground': primary,
      'editorHoverWidget.background': ground,
      'editorSuggestWidget.background': ground,
      'editorSuggestWidget.selectedBackground': shade,
      'editorSuggestWidget.selectedForeground': primary,
      'editorWidget.background': ground,
      'editorWidget.resizeBorder': primary,
      'list.hoverBackground': shade,
      'list.highlightForeground': primary,
      'list.focusHighlightForeground': primary,
      'menu.background': ground,
      'menu.selectionBackground': shade,
      'menu.selectionForeground': primary,
      'quickInput.background': ground,
      'quickInputList.focusBackground': shade,
      'quickInputList.focusForeground': base === 'vs' ? '#444444' : '#ffffff',
      'pickerGroup.foreground': primary,
      'input.background': base === 'vs' ? '#3b4b6811' : '#b7c2d711',
      'inputOption.hoverBackground': shade,
      'toolbar.hoverBackground': shade,
      focusBorder: primary,
    },
    rules: [
      {token: 'argument.identifier.gql', foreground: argument},
      {token: 'comment', foreground: comment},
      {token: 'number', foreground: number},
    ],
  }
}
