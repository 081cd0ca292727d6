package httpd

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"issuegrid/graph/model"
	"issuegrid/internal/importer"
	"issuegrid/internal/importjob"
	"issuegrid/internal/strictjson"
	"issuegrid/tracker"
)

// uploadRequest has the parameters of an upload.
type uploadRequest struct {
	tenant   tracker.TenantID
	name     string
	settings importjob.Settings
}

// uploadParameters are the parameters of the URL of an upload.
var uploadParameters = []string{"tenantId", "name", "projectKey", "newOptions", "onlyNew",
	"removeApostrophes", "dryRun"}

// parseUpload decodes the URL of an upload. It reports all invalid parameters.
func parseUpload(u *url.URL, p tracker.Principal) (q uploadRequest, _ error) {
	values, wrong := parameters(u, uploadParameters)
	if values == nil {
		return q, tracker.Join(wrong...)
	}
	t, err := tenantOf(values, p)
	wrong, q.tenant, q.name = append(wrong, err), t, values.Get("name")
	q.settings.Project = values.Get("projectKey")
	wrong = append(wrong, checkProject(q.settings.Project))
	for name, to := range switches(&q.settings) {
		given, err := trueOrFalse(values, name)
		*to, wrong = given, append(wrong, err)
	}
	return q, tracker.Join(wrong...)
}

// tenantOf returns the tenant of imports: that of the parameter, or else that of the principal.
func tenantOf(values url.Values, p tracker.Principal) (tracker.TenantID, error) {
	id := values.Get("tenantId")
	if id == "" && p.Tenant == "" {
		return "", tracker.Bad("tenantId", "give the id of a tenant")
	}
	if id == "" {
		return p.Tenant, nil
	}
	n, err := model.ParseTenantID(id)
	if err == nil && !p.CanAccess(n.Tenant) {
		err = tracker.Missing("tenant")
	}
	return n.Tenant, tracker.At("tenantId", err)
}

// switches are the settings that are true or false.
func switches(s *importjob.Settings) map[string]*bool {
	return map[string]*bool{"newOptions": &s.NewOptions, "onlyNew": &s.OnlyNew,
		"removeApostrophes": &s.RemoveApostrophes, "dryRun": &s.DryRun}
}

func checkProject(key string) error {
	if key == "" {
		return nil
	}
	return tracker.CheckProjectKey("projectKey", key)
}

// importSettings decodes the settings of an import, a JSON object or nothing, and returns what sets those
// that are given. It reports all invalid members.
func importSettings(body []byte) (set func(*importjob.Settings), _ error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return func(*importjob.Settings) {}, nil
	}
	members, err := strictjson.Members(body)
	if twice, ok := errors.AsType[*strictjson.DuplicateError](err); ok {
		return nil, tracker.Bad(twice.Name, "the setting is given twice")
	}
	if err != nil || !json.Valid(body) {
		return nil, tracker.Bad("", "the body is not a JSON object with the settings of the import")
	}
	var s importjob.Settings
	into, given := map[string]any{"projectKey": &s.Project}, switches(&s)
	for name, to := range given {
		into[name] = to
	}
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(members)) {
		to, known := into[name]
		switch value := members[name]; {
		case name == "mapping" && string(value) == "null":
			wrong = append(wrong, tracker.Bad(name, "the value must be an object; {} has the mapping "+
				"inferred"))
		case name == "mapping":
			m, err := importer.ParseMapping(value)
			wrong, s.Mapping = append(wrong, tracker.At(name, err)), m
		case !known:
			wrong = append(wrong, tracker.Bad(name, "there is no setting %q; there are dryRun, mapping, "+
				"newOptions, onlyNew, projectKey and removeApostrophes", name))
		case string(value) == "null" || json.Unmarshal(value, to) != nil:
			should := "true or false"
			if name == "projectKey" {
				should = "a string"
			}
			wrong = append(wrong, tracker.Bad(name, "the value must be %s", should))
		}
	}
	wrong = append(wrong, checkProject(s.Project))
	return func(to *importjob.Settings) {
		for name, value := range switches(to) {
			if _, ok := members[name]; ok {
				*value = *given[name]
			}
		}
		if _, ok := members["projectKey"]; ok {
			to.Project = s.Project
		}
		if s.Mapping != nil {
			to.Mapping = s.Mapping
		}
	}, tracker.Join(wrong...)
}

// shownImport is an import as clients receive it.
type shownImport struct {
	ID                string              `json:"id"`
	Name              string              `json:"name"`
	Bytes             int64               `json:"bytes"`
	CreatedAt         time.Time           `json:"createdAt"`
	CreatedBy         shownActor          `json:"createdBy"`
	ExpiresAt         time.Time           `json:"expiresAt"`
	ProjectKey        *string             `json:"projectKey"`
	NewOptions        bool                `json:"newOptions"`
	OnlyNew           bool                `json:"onlyNew"`
	DryRun            bool                `json:"dryRun"`
	RemoveApostrophes bool                `json:"removeApostrophes"`
	Status            importjob.Status    `json:"status"`
	Attempts          int                 `json:"attempts"`
	StartedAt         *time.Time          `json:"startedAt"`
	EndedAt           *time.Time          `json:"endedAt"`
	Progress          *importjob.Progress `json:"progress"`
	Mapping           *importer.Mapping   `json:"mapping"`
	Reading           *importer.Reading   `json:"reading"`
	Summary           *importjob.Summary  `json:"summary"`
	Columns           []importjob.Column  `json:"columns"`
	Errors            []shownProblem      `json:"errors"`
	Rejects           *string             `json:"rejects"`
}

// shownActor is the user that has uploaded a file, as an Actor of GraphQL.
type shownActor struct {
	Kind tracker.ActorKind `json:"kind"`
	Name *string           `json:"name"`
}

// shownProblem is an error in the form of GraphQL.
type shownProblem struct {
	Message    string         `json:"message"`
	Extensions map[string]any `json:"extensions"`
}

// sendImport sends an import and its result, which may be nil.
func sendImport(w http.ResponseWriter, t tracker.TenantID, status int, m *importjob.Import,
	r *importjob.Result) {
	sendJSON(w, status, shown(t, m, r))
}

// shownImports are imports as clients receive them, without mappings, results and errors, which are null.
type shownImports struct {
	Imports []shownImport `json:"imports"`
}

func sendImports(w http.ResponseWriter, t tracker.TenantID, all []*importjob.Import) {
	out := shownImports{Imports: make([]shownImport, len(all))}
	for i, m := range all {
		out.Imports[i] = shown(t, m, nil)
		out.Imports[i].Mapping, out.Imports[i].Errors = nil, nil
	}
	sendJSON(w, http.StatusOK, out)
}

func sendJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}

// shown returns an import and its result, which may be nil, as clients receive them.
func shown(t tracker.TenantID, m *importjob.Import, r *importjob.Result) shownImport {
	some := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	at := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		return &t
	}
	out := shownImport{ID: model.ImportID(t, m.ID), Name: m.Name, Bytes: m.Bytes, CreatedAt: m.Created,
		CreatedBy: shownActor{tracker.ActorUser, some(m.By)}, ExpiresAt: m.Expires,
		ProjectKey: some(m.Project), NewOptions: m.NewOptions,
		OnlyNew: m.OnlyNew, RemoveApostrophes: m.RemoveApostrophes, DryRun: m.DryRun,
		Status: m.Status, Attempts: m.Attempts - m.First,
		StartedAt: at(m.Started), EndedAt: at(m.Ended), Mapping: m.Mapping, Errors: []shownProblem{}}
	if m.Status == importjob.Running && m.Progress.Stage != "" {
		out.Progress = &m.Progress
	}
	if m.Rejects > 0 {
		out.Rejects = some(ImportsPath + "/" + out.ID + "/rejects")
	}
	if r != nil {
		out.Mapping, out.Reading, out.Summary, out.Columns = r.Mapping, r.Reading, r.Summary, r.Columns
		for _, p := range r.Problems {
			shown := shownProblem{Message: p.Message, Extensions: map[string]any{"code": p.Code}}
			if p.Path != "" {
				shown.Extensions["argument"] = p.Path
			}
			out.Errors = append(out.Errors, shown)
		}
	}
	return out
}
