// Renders Markdown as a DOM fragment. It is loaded only with the first text (Markdown.tsx), because its packages are larger than the panel.
//
// Three laws: raw HTML is text; the fragment has only the elements and attributes of the lists below; and each link is absolute, with a scheme of the list, and
// opens in a new tab. The parser keeps the first one. DOMPurify keeps the others, on the parsed elements, after the browser has decoded all attributes. The
// result is never written as a string again, because a browser may parse such a string differently.
import createDOMPurify from 'dompurify'
import {Marked, Renderer, type Tokens} from 'marked'
import {messages} from '../messages'

const elements = ['a', 'blockquote', 'br', 'code', 'del', 'em', 'h4', 'h5', 'h6', 'hr', 'li', 'ol', 'p', 'pre', 'strong']
const lists = ['table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul']
const attributes = ['align', 'href', 'start', 'title']
const schemes = ['http:', 'https:', 'mailto:']
/** The elements whose text has a direction of its own. */
// eslint-disable-next-line no-restricted-syntax -- a selector
const directed = 'blockquote, h4, h5, h6, li, p, td, th'

const purify = createDOMPurify(window)
purify.addHook('afterSanitizeAttributes', node => {
  if (node.nodeName !== 'A') return
  const url = safeURL(node.getAttribute('href') ?? '')
  if (url === null) return void node.removeAttribute('href')
  node.setAttribute('href', url)
  node.setAttribute('target', '_blank')
  // eslint-disable-next-line no-restricted-syntax -- not shown
  node.setAttribute('rel', 'noopener noreferrer nofollow')
})

/** Returns the normal form of an absolute URL with one of the schemes; null for others. */
function safeURL(href: string): string | null {
  try {
    const url = new URL(href)
    return schemes.includes(url.protocol) ? url.href : null
  } catch {
    return null
  }
}

/** Renders a text, or throws an error if its lists and quotations are nested too deeply. */
export function render(text: string): DocumentFragment {
  const html = new Marked({
    gfm: true,
    breaks: true, // as the texts were shown before they were Markdown
    tokenizer: {html: () => undefined, tag: () => undefined}, // HTML is no syntax, and so it is text
  }).parse(text, {async: false, renderer: new Plain()})
  const fragment = purify.sanitize(html, {
    ALLOWED_TAGS: [...elements, ...lists],
    ALLOWED_ATTR: attributes,
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  })
  for (const a of fragment.querySelectorAll('a[href]')) if (a.textContent.trim() === '') a.textContent = a.getAttribute('href')
  for (const e of fragment.querySelectorAll(directed)) e.setAttribute('dir', 'auto')
  for (const table of fragment.querySelectorAll('table')) {
    const frame = document.createElement('div')
    frame.className = 'markdown-table'
    frame.tabIndex = 0 // it scrolls, also by the keyboard
    frame.setAttribute('role', 'group')
    frame.setAttribute('aria-label', messages.panel.table)
    table.replaceWith(frame)
    frame.append(table)
  }
  return fragment
}

/** Writes headings below those of the panel without gaps, images as links, and the check boxes of a list as characters. */
class Plain extends Renderer {
  private level = 3
  private isInLink = false

  override heading({tokens, depth}: Tokens.Heading): string {
    this.level = Math.min(depth + 3, this.level + 1, 6)
    return `<h${this.level}>${this.parser.parseInline(tokens)}</h${this.level}>\n`
  }

  override link(token: Tokens.Link): string {
    this.isInLink = true
    const html = super.link(token)
    this.isInLink = false
    return html
  }

  override image({href, title, text, raw}: Tokens.Image): string {
    const words: Tokens.Text = {type: 'text', raw: text || href, text: text || href}
    if (this.isInLink) return this.text(words)
    return super.link({type: 'link', href, title, text: words.text, raw, tokens: [words]})
  }

  override checkbox({checked}: Tokens.Checkbox): string {
    return checked ? '☑ ' : '☐ '
  }
}
