package grid

import (
	"sync"

	"issuegrid/internal/account"
	"issuegrid/internal/columns"
)

// DefaultBudget is the work budget of a page, in documents; see Request.Budget.
const DefaultBudget = 2000

// keysPerDocument is how many keys of the index cost as much as one document: 4 KB of keys are read for the
// 0.5 RCU of a document.
const keysPerDocument = 40

// work counts the work of reading a page, against its budget. It is safe for concurrent use.
type work struct {
	account *account.Account // the account of the page's operation

	mu     sync.Mutex
	budget int // in keys
	spent  int
	total  Work
}

// Work is the work of reading a page.
type Work struct {
	// Queries is the number of Queries of the index, and Keys the number of keys that they read, including
	// those filtered out.
	Queries, Keys int
	// Documents is the number of documents requested.
	Documents int
	// RCU is the consumed read capacity of the Queries, in units.
	RCU float64
}

// Budget returns a work budget in documents: the given one, or the default if that is 0.
func Budget(documents int) int {
	if documents <= 0 {
		return DefaultBudget
	}
	return documents
}

// budgetKeys converts a request's budget from documents to keys.
func budgetKeys(documents int) int { return Budget(documents) * keysPerDocument }

func newWork(documents int, a *account.Account) *work {
	return &work{account: a, budget: budgetKeys(documents)}
}

// allowKeys adds to the budget the keys of as many documents as it has, and those of the Query that reaches
// the end of a range.
func (w *work) allowKeys() { w.budget += w.budget/keysPerDocument + 2*keysPerDocument }

func (w *work) queried(page *columns.KeyPage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.total.queried(page)
	w.spent += max(page.Examined, keysPerDocument) // a Query costs at least 0.5 RCU
}

func (t *Work) queried(page *columns.KeyPage) {
	t.Queries += page.Queries
	t.Keys += page.Examined
	t.RCU += page.RCU
}

// probed counts a Query that is not charged to the budget, which is for progress.
func (w *work) probed(page *columns.KeyPage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.total.queried(page)
}

func (w *work) fetched(documents int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.total.Documents += documents
	w.spent += documents * keysPerDocument
}

// over reports whether the budget or the operation's time for reading is over.
func (w *work) over() bool { return w.left() <= 0 || w.account.ReadingOver() }

// exhaust spends the rest of the budget.
func (w *work) exhaust() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spent = max(w.spent, w.budget)
}

// left returns the rest of the budget, in keys.
func (w *work) left() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.budget - w.spent
}

// documents returns what was spent, in documents.
func (w *work) documents() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return (w.spent + keysPerDocument - 1) / keysPerDocument
}
